import Glibc
import LinuxIO
import Testing

@Suite struct ChildProcessTests {
    static func shell(
        _ script: String, environment: [String: String] = [:], outputBytesMax: Int = 65_536,
        untilNanoseconds deadline: Int64? = nil
    ) throws -> ChildProcess.Result {
        try ChildProcess.run(
            "/bin/sh", ["-c", script], environment: environment, outputBytesMax: outputBytesMax,
            untilNanoseconds: deadline ?? PollerTests.deadline)
    }

    @Test func outputAndErrorComeMixed() throws {
        let result = try Self.shell("echo one; echo two >&2; echo three")
        #expect(result.output == "one\ntwo\nthree\n")
        #expect(result.isSuccess)
    }

    @Test(arguments: [0, 1, 77, 255] as [Int32]) func exitCodeIsTold(code: Int32) throws {
        let result = try Self.shell("exit \(code)")
        #expect(result.ending == .exited(code: code))
        #expect(result.isSuccess == (code == 0))
    }

    @Test func endBySignalIsTold() throws {
        #expect(try Self.shell("kill -9 $$").ending == .signalled(SIGKILL))
    }

    @Test func missingProgramIsNamed() throws {
        let error = try #require(throws: SystemError.self) {
            try ChildProcess.run("no-such-program", [], untilNanoseconds: nil)
        }
        #expect(error.description == "run no-such-program: No such file or directory")
    }

    @Test func programsAreFoundInThePath() throws {
        #expect(try ChildProcess.run("true", [], untilNanoseconds: nil).isSuccess)
    }

    @Test func argumentsArriveAsTheyAre() throws {
        let arguments = ["a b", "", "$HOME", "'quoted'", "é"]
        let result = try ChildProcess.run(
            "/usr/bin/printf", ["[%s]"] + arguments, untilNanoseconds: PollerTests.deadline)
        #expect(result.output == arguments.map { "[\($0)]" }.joined())
    }

    @Test func standardInputIsEmpty() throws {
        #expect(try Self.shell("cat; echo end").output == "end\n")
    }

    @Test func environmentIsAddedTo() throws {
        let result = try Self.shell(
            "echo $COLOUR; echo $PATH", environment: ["COLOUR": "red", "PATH": "/nowhere"])
        #expect(result.output == "red\n/nowhere\n")
        #expect(try Self.shell("test -n \"$PATH\"").isSuccess)
    }

    @Test(arguments: [(0, ""), (9, "bcdefghij"), (10, "abcdefghij"), (11, "9abcdefghij")])
    func onlyTheEndOfTheOutputIsKept(bytesMax: Int, kept: String) throws {
        let script = "printf 0123456789; printf abcdefghij"
        #expect(try Self.shell(script, outputBytesMax: bytesMax).output == kept)
    }

    @Test func largeOutputDoesNotStopTheChild() throws {
        let result = try Self.shell("head -c 3000000 /dev/zero | tr '\\0' x", outputBytesMax: 100)
        #expect(result.isSuccess)
        #expect(result.output == String(repeating: "x", count: 100))
    }

    @Test func deadlineKillsTheChildAndItsChildren() throws {
        let soon = MonotonicClock.nanoseconds() + 100_000_000
        let result = try Self.shell("echo $$; sleep 60; true", untilNanoseconds: soon)
        #expect(result.ending == .timedOut)
        let line = result.output.prefix { $0 != "\n" }
        let group = try #require(Int32(line))
        // The killed grandchild is a zombie until init has reaped it.
        let deadline = PollerTests.deadline
        while kill(-group, 0) == 0 && MonotonicClock.nanoseconds() < deadline { sched_yield() }
        #expect(errno == ESRCH)
    }

    @Test func whatTheChildLeavesRunningIsNotWaitedFor() throws {
        let start = MonotonicClock.nanoseconds()
        let result = try Self.shell("sleep 5 & echo started $!")
        #expect(result.isSuccess)
        #expect(MonotonicClock.nanoseconds() - start < 4_000_000_000)
        let number = result.output.split(separator: " ").last?.dropLast()
        if let left = number.flatMap({ Int32($0) }) { kill(left, SIGKILL) }
    }

    @Test func nothingIsInheritedButTheStandardDescriptors() throws {
        let pipe = TestPipe()
        _ = pipe
        // The listing itself opens one more.
        #expect(try Self.shell("ls /proc/self/fd").output == "0\n1\n2\n3\n")
    }

    @Test func daemonGoesOnUntilItIsStopped() throws {
        let daemon = try ChildProcess.start("/bin/sleep", ["60"], outputPath: nil)
        #expect(kill(daemon, 0) == 0)
        #expect(ChildProcess.wait(daemon, untilNanoseconds: 0) == nil)
        let ending = ChildProcess.stop(daemon, untilNanoseconds: PollerTests.deadline)
        #expect(ending == .signalled(SIGTERM))
        // Reaped: nothing is left to wait for.
        #expect(waitpid(daemon, nil, WNOHANG) == -1 && errno == ECHILD)
    }

    @Test func stubbornDaemonIsKilledAtTheDeadline() throws {
        let path = TemporaryDirectory.shared.path("stubborn")
        let daemon = try ChildProcess.start(
            "/bin/sh", ["-c", "trap '' TERM; echo ready; while :; do sleep 1; done"],
            outputPath: path)
        let patience = PollerTests.deadline
        while FileText.read(path) != "ready" && MonotonicClock.nanoseconds() < patience {
            sched_yield()
        }
        let soon = MonotonicClock.nanoseconds() + 50_000_000
        #expect(ChildProcess.stop(daemon, untilNanoseconds: soon) == .timedOut)
        #expect(waitpid(daemon, nil, WNOHANG) == -1 && errno == ECHILD)
        #expect(try FileContents.modeBits(path) == 0o600)
    }

    @Test func daemonsOutputFileMustBeWritable() throws {
        let error = try #require(throws: SystemError.self) {
            try ChildProcess.start("/bin/true", [], outputPath: "/no/such/place")
        }
        #expect(error.description == "open /no/such/place: No such file or directory")
    }
}
