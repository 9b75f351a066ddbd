import Glibc
import LinuxIO
import Testing

/// Each of these runs in a process of its own: signals belong to a whole process.
@Suite struct SignalWatchTests {
    @Test func signalsReachTheHandlerOnItsThread() async {
        await #expect(processExitsWith: .exitCode(42)) {
            let watch = try SignalWatch()
            try watch.start { number in exit(number == SIGTERM ? 42 : 1) }
            try SignalThread.send(SIGTERM)
            // The handler ends the process before this does.
            _ = Monitor(false).wait(untilNanoseconds: PollerTests.deadline) { $0 }
            exit(2)
        }
    }

    @Test func signalsAreHeldBackBeforeTheStart() async {
        await #expect(processExitsWith: .success) {
            let watch = try SignalWatch()
            // Sent to this very thread, these would end a process that does not block them.
            for number in [SIGINT, SIGTERM, SIGHUP] { pthread_kill(pthread_self(), number) }
            _ = watch
        }
    }

    @Test func writingToAClosedPipeIsNoSignal() async {
        await #expect(processExitsWith: .success) {
            let watch = try SignalWatch()
            var ends: [Int32] = [-1, -1]
            pipe(&ends)
            close(ends[0])
            var byte: UInt8 = 0
            #expect(write(ends[1], &byte, 1) == -1 && errno == EPIPE)
            _ = watch
        }
    }
}

/// Sends a signal to the watch's thread alone: in a test process other threads exist already, which
/// do not block it.
enum SignalThread {
    private typealias Call = @convention(c) (pid_t, pid_t, Int32) -> Int32

    static func send(_ number: Int32) throws {
        let symbol = try #require(dlsym(nil, "tgkill"))
        let tgkill = unsafeBitCast(symbol, to: Call.self)
        let deadline = PollerTests.deadline
        while MonotonicClock.nanoseconds() < deadline {
            for entry in try entries("/proc/self/task") {
                guard let thread = pid_t(entry) else { continue }
                if FileText.read("/proc/self/task/\(entry)/comm") == "signals" {
                    #expect(tgkill(getpid(), thread, number) == 0)
                    return
                }
            }
            sched_yield()
        }
    }

    static func entries(_ directory: String) throws -> [String] {
        let stream = try #require(opendir(directory))
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}
