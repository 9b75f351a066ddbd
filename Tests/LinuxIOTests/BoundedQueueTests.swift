import LinuxIO
import Testing

@Suite struct BoundedQueueTests {
    @Test func keepsTheOrderAcrossTheEndOfTheRing() {
        let queue = BoundedQueue<Int>(capacity: 3)
        var expected = 0
        for number in 0..<20 {
            #expect(queue.tryPush(number))
            if number % 3 == 2 {
                while let taken = queue.tryPop() {
                    #expect(taken == expected)
                    expected += 1
                }
            }
        }
        #expect(queue.count == 2)
    }

    @Test(arguments: [1, 2, 7]) func takesExactlyItsCapacity(capacity: Int) {
        let queue = BoundedQueue<Int>(capacity: capacity)
        for number in 0..<capacity { #expect(queue.tryPush(number)) }
        #expect(!queue.tryPush(-1))
        #expect(queue.count == capacity)
        #expect(queue.tryPop() == 0)
        #expect(queue.tryPush(-1))
    }

    @Test func pushWaitsForRoom() throws {
        let queue = BoundedQueue<Int>(capacity: 1)
        let thread = try WorkerThread.start(name: "pusher") {
            for number in 0..<1_000 { _ = queue.push(number) }
        }
        for number in 0..<1_000 {
            #expect(queue.pop(untilNanoseconds: PollerTests.deadline) == number)
        }
        thread.join()
    }

    @Test func popEndsAtItsDeadline() {
        let queue = BoundedQueue<Int>(capacity: 1)
        let deadline = MonotonicClock.nanoseconds() + 1_000_000
        #expect(queue.pop(untilNanoseconds: deadline) == nil)
        #expect(MonotonicClock.nanoseconds() >= deadline)
    }

    @Test func closedQueueGivesWhatItHasAndTakesNothing() {
        let queue = BoundedQueue<Int>(capacity: 2)
        #expect(queue.push(1))
        queue.close()
        queue.close()
        #expect(queue.isClosed)
        #expect(!queue.push(2))
        #expect(!queue.tryPush(2))
        #expect(queue.pop(untilNanoseconds: nil) == 1)
        #expect(queue.pop(untilNanoseconds: nil) == nil)
    }

    @Test func closeWakesThoseWhoWait() throws {
        let (full, empty) = (BoundedQueue<Int>(capacity: 1), BoundedQueue<Int>(capacity: 1))
        #expect(full.push(0))
        let pushed = Monitor<Bool?>(nil)
        let pusher = try WorkerThread.start(name: "pusher") {
            let isTaken = full.push(1)
            pushed.withLock { $0 = isTaken }
        }
        let popper = try WorkerThread.start(name: "popper") {
            _ = empty.pop(untilNanoseconds: nil)
        }
        full.close()
        empty.close()
        pusher.join()
        popper.join()
        #expect(pushed.withLock { $0 } == false)
    }

    @Test func manyThreadsLoseAndDoubleNothing() throws {
        let queue = BoundedQueue<Int>(capacity: 4)
        let sum = Monitor(0)
        let consumers = try (0..<3).map { _ in
            try WorkerThread.start(name: "consumer") {
                while let number = queue.pop(untilNanoseconds: nil) {
                    sum.withLock { $0 += number }
                }
            }
        }
        let producers = try (0..<3).map { _ in
            try WorkerThread.start(name: "producer") {
                for number in 1...2_000 { _ = queue.push(number) }
            }
        }
        for producer in producers { producer.join() }
        queue.close()
        for consumer in consumers { consumer.join() }
        #expect(sum.withLock { $0 } == 3 * 2_000 * 2_001 / 2)
    }
}
