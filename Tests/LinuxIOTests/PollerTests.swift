import Glibc
@testable import LinuxIO
import Testing

@Suite struct PollerTests {
    /// Ten seconds from now: nothing here should take so long.
    static var deadline: Int64 { MonotonicClock.nanoseconds() + 10_000_000_000 }

    @Test func readableDescriptorReachesItsHandler() throws {
        let poller = try Poller()
        let (first, second) = (TestPipe(), TestPipe())
        let (firstHandler, secondHandler) = (Recorder(), Recorder())
        try poller.add(first.reader, readable: true, writable: false, handler: firstHandler)
        try poller.add(second.reader, readable: true, writable: false, handler: secondHandler)
        second.write()
        #expect(try poller.wait(untilNanoseconds: Self.deadline) == 1)
        #expect(firstHandler.calls.isEmpty)
        #expect(secondHandler.calls == ["r"])
        poller.remove(first.reader)
        poller.remove(second.reader)
        #expect(try poller.wait(untilNanoseconds: 0) == 0)
    }

    /// With and without the newer system call.
    @Test(arguments: [true, false]) func deadlineIsKept(hasNanosecondWait: Bool) throws {
        let poller = try Poller(hasNanosecondWait: hasNanosecondWait)
        #expect(try poller.wait(untilNanoseconds: 0) == 0)
        poller.waker.wake()
        #expect(try poller.wait(untilNanoseconds: nil) == 1)
        let start = MonotonicClock.nanoseconds()
        #expect(try poller.wait(untilNanoseconds: start + 200_000) == 0)
        #expect(MonotonicClock.nanoseconds() >= start + 200_000)
    }

    @Test func writabilityIsToldOnlyWhileItIsWanted() throws {
        let poller = try Poller()
        let pipe = TestPipe()
        let handler = Recorder()
        try poller.add(pipe.writer, readable: false, writable: false, handler: handler)
        #expect(try poller.wait(untilNanoseconds: 0) == 0)
        try poller.change(pipe.writer, readable: false, writable: true)
        try poller.change(pipe.writer, readable: false, writable: true)
        #expect(try poller.wait(untilNanoseconds: Self.deadline) == 1)
        try poller.change(pipe.writer, readable: false, writable: false)
        #expect(try poller.wait(untilNanoseconds: 0) == 0)
        #expect(handler.calls == ["w"])
    }

    @Test func endOfThePeerIsToldAsFailure() throws {
        let poller = try Poller()
        let pipe = TestPipe()
        let handler = Recorder()
        try poller.add(pipe.reader, readable: true, writable: false, handler: handler)
        close(pipe.giveWriter())
        try poller.wait(untilNanoseconds: Self.deadline)
        #expect(handler.calls == ["f"])
    }

    @Test func handlerRemovedDuringTheTurnIsNotCalled() throws {
        let poller = try Poller()
        let pipes = [TestPipe(), TestPipe(), TestPipe()]
        let handler = Recorder()
        handler.action = { for pipe in pipes { poller.remove(pipe.reader) } }
        for pipe in pipes {
            try poller.add(pipe.reader, readable: true, writable: false, handler: handler)
            pipe.write()
        }
        #expect(try poller.wait(untilNanoseconds: Self.deadline) == 3)
        #expect(handler.calls.count == 1)
        handler.action = nil
    }

    @Test func staleEventOfAReusedDescriptorReachesNobody() throws {
        let poller = try Poller()
        let pipes = [TestPipe(), TestPipe()]
        let quiet = TestPipe()
        let (old, new) = (Recorder(), Recorder())
        old.action = {
            // Whichever comes first gives the other's number to a pipe without bytes.
            let other = old.calls.count == 1 ? pipes[old.order == 0 ? 1 : 0].reader : -1
            guard other >= 0 else { return }
            poller.remove(other)
            #expect(dup2(quiet.reader, other) == other)
            #expect(throws: Never.self) {
                try poller.add(other, readable: true, writable: false, handler: new)
            }
        }
        for (index, pipe) in pipes.enumerated() {
            let handler = Forwarder(index: index, to: old)
            try poller.add(pipe.reader, readable: true, writable: false, handler: handler)
            pipe.write()
        }
        #expect(try poller.wait(untilNanoseconds: Self.deadline) == 2)
        #expect(old.calls.count == 1)
        #expect(new.calls.isEmpty)
        quiet.write()
        for pipe in pipes where pipe.reader != pipes[old.order].reader {
            try poller.wait(untilNanoseconds: Self.deadline)
            #expect(new.calls == ["r"])
        }
        old.action = nil
    }

    @Test func handlersMayAddDescriptors() throws {
        let poller = try Poller()
        let (first, second) = (TestPipe(), TestPipe())
        let (outer, inner) = (Recorder(), Recorder())
        second.write()
        outer.action = {
            poller.remove(first.reader)
            #expect(throws: Never.self) {
                try poller.add(second.reader, readable: true, writable: false, handler: inner)
            }
        }
        first.write()
        try poller.add(first.reader, readable: true, writable: false, handler: outer)
        try poller.wait(untilNanoseconds: Self.deadline)
        #expect(inner.calls.isEmpty)
        try poller.wait(untilNanoseconds: Self.deadline)
        #expect(inner.calls == ["r"])
        outer.action = nil
    }

    @Test func removedHandlersAreLetGo() throws {
        let poller = try Poller()
        let pipe = TestPipe()
        weak var handler: Recorder?
        do {
            let strong = Recorder()
            handler = strong
            try poller.add(pipe.reader, readable: true, writable: false, handler: strong)
        }
        #expect(handler != nil)
        poller.remove(pipe.reader)
        #expect(handler == nil)
    }

    @Test func descriptorsThatCanNotBeWatchedAreAnError() throws {
        let poller = try Poller()
        let error = try #require(throws: SystemError.self) {
            try poller.add(999_999, readable: true, writable: false, handler: Recorder())
        }
        #expect(error.description == "watch descriptor 999999: Bad file descriptor")
    }
}

/// Keeps what a handler was told: r(eadable), w(ritable), f(ailed).
final class Recorder: ReadinessHandler {
    var calls: [String] = []
    var order = 0
    var action: (() -> Void)?

    func ready(readable: Bool, writable: Bool, failed: Bool) {
        calls.append((readable ? "r" : "") + (writable ? "w" : "") + (failed ? "f" : ""))
        action?()
    }
}

/// Tells another handler, and which of several it was.
private final class Forwarder: ReadinessHandler {
    let index: Int
    let target: Recorder

    init(index: Int, to target: Recorder) {
        (self.index, self.target) = (index, target)
    }

    func ready(readable: Bool, writable: Bool, failed: Bool) {
        target.order = index
        target.ready(readable: readable, writable: writable, failed: failed)
    }
}
