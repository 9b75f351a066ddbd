import Glibc
import LinuxIO
import Testing

@Suite struct WorkerThreadTests {
    @Test func joinWaitsForTheBody() throws {
        let answer = Monitor(0)
        let thread = try WorkerThread.start(name: "answer") { answer.withLock { $0 = 42 } }
        thread.join()
        #expect(answer.withLock { $0 } == 42)
    }

    @Test func capturedObjectsAreLetGo() throws {
        final class Token: Sendable {}
        weak var token: Token?
        do {
            let strong = Token()
            token = strong
            try WorkerThread.start(name: "holder") { [strong] in _ = strong }.join()
        }
        #expect(token == nil)
    }

    @Test(arguments: ["loop", "fifteen-bytes-x", "a name that is longer than the kernel takes"])
    func nameIsCutToWhatTheKernelTakes(name: String) throws {
        let seen = Monitor("")
        try WorkerThread.start(name: name) {
            var buffer = [CChar](repeating: 0, count: 64)
            let bytes = FileText.read("/proc/thread-self/comm")
            buffer[0] = 0
            seen.withLock { $0 = bytes }
        }.join()
        #expect(seen.withLock { $0 } == String(name.prefix(15)))
    }

    @Test func unjoinedThreadsAreDetached() throws {
        let done = Monitor(false)
        do {
            _ = try WorkerThread.start(name: "detached") {
                done.withLock { $0 = true }
                done.signal()
            }
        }
        #expect(done.wait(untilNanoseconds: PollerTests.deadline) { $0 })
    }
}

/// One line of a file of `/proc`, without its end.
enum FileText {
    static func read(_ path: String) -> String {
        let bytes = (try? FileContents.read(path, limitBytes: 65_536)) ?? []
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
