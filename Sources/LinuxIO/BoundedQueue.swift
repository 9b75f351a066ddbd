/// A queue between threads that makes the faster one wait.
///
/// Any number of threads may push and pop. After `close()` nothing more goes in, and what is inside
/// can still be taken out.
package final class BoundedQueue<Element: Sendable>: Sendable {
    private struct State {
        /// A ring of `capacity` places: the oldest element is at `head`.
        var places: [Element?]
        var head = 0
        var count = 0
        var isClosed = false

        mutating func append(_ element: Element) {
            places[(head + count) % places.count] = element
            count += 1
        }

        mutating func removeFirst() -> Element? {
            let element = places[head]
            places[head] = nil
            head = (head + 1) % places.count
            count -= 1
            return element
        }
    }

    private let monitor: Monitor<State>

    /// Creates an empty queue.
    ///
    /// - Parameter capacity: the most elements it holds, at least 1.
    package init(capacity: Int) {
        precondition(capacity > 0, "a queue holds at least one element")
        monitor = Monitor(State(places: Array(repeating: nil, count: capacity)))
    }

    /// Appends an element; blocks while the queue is full.
    ///
    /// - Parameter element: what to append.
    /// - Returns: false when the queue is closed; the element was not taken then.
    package func push(_ element: Element) -> Bool {
        let taken = monitor.take(untilNanoseconds: nil) { state -> Bool? in
            if state.isClosed { return false }
            if state.count == state.places.count { return nil }
            state.append(element)
            return true
        }
        let isTaken = taken ?? false
        if isTaken { monitor.signal() }
        return isTaken
    }

    /// Appends an element if there is room at once.
    ///
    /// - Parameter element: what to append.
    /// - Returns: false when the queue is full or closed; the element was not taken then.
    package func tryPush(_ element: Element) -> Bool {
        let isTaken = monitor.withLock { state in
            if state.isClosed || state.count == state.places.count { return false }
            state.append(element)
            return true
        }
        if isTaken { monitor.signal() }
        return isTaken
    }

    /// Takes the oldest element; blocks while the queue is empty and open.
    ///
    /// - Parameter deadline: when to give up, in nanoseconds of `MonotonicClock`; nil waits for
    ///   ever.
    /// - Returns: the element; nil when the deadline passed, or the queue is closed and empty.
    package func pop(untilNanoseconds deadline: Int64?) -> Element? {
        let taken = monitor.take(untilNanoseconds: deadline) { state -> Element?? in
            if state.count > 0 { return .some(state.removeFirst()) }
            return state.isClosed ? .some(nil) : nil
        }
        let element = taken ?? nil
        if element != nil { monitor.signal() }
        return element
    }

    /// Takes the oldest element if there is one.
    ///
    /// - Returns: the element; nil when the queue is empty.
    package func tryPop() -> Element? {
        let element = monitor.withLock { state in
            state.count > 0 ? state.removeFirst() : nil
        }
        if element != nil { monitor.signal() }
        return element
    }

    /// Lets nothing more in and wakes everybody who waits; may be called again.
    package func close() {
        monitor.withLock { state in state.isClosed = true }
        monitor.signal()
    }

    /// The number of elements inside at this moment.
    package var count: Int { monitor.withLock { state in state.count } }

    /// Whether nothing more goes in; what is inside can still be taken.
    package var isClosed: Bool { monitor.withLock { state in state.isClosed } }
}
