import LinuxIO
import Testing

@Suite struct MonitorTests {
    private struct Refused: Error, Equatable {}

    @Test func stateIsChangedByOneThreadAtATime() throws {
        let counter = Monitor(0)
        let threads = try (0..<4).map { _ in
            try WorkerThread.start(name: "counter") {
                for _ in 0..<5_000 { counter.withLock { $0 += 1 } }
            }
        }
        for thread in threads { thread.join() }
        #expect(counter.withLock { $0 } == 20_000)
    }

    @Test func errorsOfTheBodyLeaveItUnlocked() {
        let monitor = Monitor(0)
        #expect(throws: Refused()) {
            try monitor.withLock { (_) throws(Refused) in throw Refused() }
        }
        #expect(monitor.withLock { $0 } == 0)
    }

    @Test func waitSeesWhatAnotherThreadChanged() throws {
        let monitor = Monitor(false)
        let thread = try WorkerThread.start(name: "changer") {
            monitor.withLock { $0 = true }
            monitor.signal()
        }
        #expect(monitor.wait(untilNanoseconds: nil) { $0 })
        thread.join()
    }

    @Test func waitEndsAtItsDeadline() {
        let monitor = Monitor(false)
        let deadline = MonotonicClock.nanoseconds() + 2_000_000
        #expect(!monitor.wait(untilNanoseconds: deadline) { $0 })
        #expect(MonotonicClock.nanoseconds() >= deadline)
        #expect(!monitor.wait(untilNanoseconds: 0) { $0 })
    }

    @Test func conditionThatHoldsNeedsNoTime() {
        let monitor = Monitor(true)
        #expect(monitor.wait(untilNanoseconds: 0) { $0 })
    }

    @Test func takeHandsOutWhatItFinds() throws {
        let monitor = Monitor([Int]())
        let thread = try WorkerThread.start(name: "giver") {
            for number in 1...3 {
                monitor.withLock { $0.append(number) }
                monitor.signal()
            }
        }
        for number in 1...3 {
            let taken = monitor.take(untilNanoseconds: PollerTests.deadline) { numbers in
                numbers.isEmpty ? nil : numbers.removeFirst()
            }
            #expect(taken == number)
        }
        thread.join()
    }

    /// A place in which every wait is over at once, and which is told of signals.
    private final class Place: WaitPlace {
        let waits = Monitor<[Int64?]>([])
        let signals = Monitor(0)

        func wait(for monitor: ObjectIdentifier, untilNanoseconds deadline: Int64?) -> Bool {
            waits.withLock { $0.append(deadline) }
            return deadline == nil
        }

        func signal(_ monitor: ObjectIdentifier) {
            signals.withLock { $0 += 1 }
        }
    }

    @Test func waitsAndSignalsGoToTheGivenPlace() {
        let place = Place()
        let monitor = Monitor(0, waitingIn: place)
        #expect(!monitor.wait(untilNanoseconds: 7) { $0 == 1 })
        let isThere = monitor.wait(untilNanoseconds: nil) { state in
            state += 1
            return state == 3
        }
        #expect(isThere)
        monitor.signal()
        #expect(place.waits.withLock { $0 } == [7, nil, nil])
        #expect(place.signals.withLock { $0 } == 1)
    }
}
