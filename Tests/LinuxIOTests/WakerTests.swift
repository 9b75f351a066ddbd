import LinuxIO
import Testing

@Suite struct WakerTests {
    @Test func wakeEndsAWaitOfAnotherThread() throws {
        let poller = try Poller()
        let waker = poller.waker
        let thread = try WorkerThread.start(name: "waker") { waker.wake() }
        #expect(try poller.wait(untilNanoseconds: PollerTests.deadline) == 1)
        thread.join()
    }

    @Test func wakeBeforeTheWaitIsNotLost() throws {
        let poller = try Poller()
        poller.waker.wake()
        #expect(try poller.wait(untilNanoseconds: PollerTests.deadline) == 1)
    }

    @Test func burstOfWakesIsOneEvent() throws {
        let poller = try Poller()
        for _ in 1...3 {
            for _ in 1...1_000 { poller.waker.wake() }
            #expect(try poller.wait(untilNanoseconds: PollerTests.deadline) == 1)
            #expect(try poller.wait(untilNanoseconds: 0) == 0)
        }
    }

    /// Whatever was put before a wake is seen after some wait returned: no wake is ever lost.
    @Test func everyItemPutBeforeAWakeIsSeen() throws {
        let poller = try Poller()
        let queue = BoundedQueue<Int>(capacity: 8)
        let waker = poller.waker
        let producers = try (0..<3).map { _ in
            try WorkerThread.start(name: "producer") {
                for item in 1...2_000 {
                    _ = queue.push(item)
                    waker.wake()
                }
            }
        }
        var seen = 0
        while seen < 6_000 {
            let count = try poller.wait(untilNanoseconds: PollerTests.deadline)
            try #require(count == 1, "a wake was lost after \(seen) items")
            while queue.tryPop() != nil { seen += 1 }
        }
        for producer in producers { producer.join() }
    }
}
