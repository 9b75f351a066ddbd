import Glibc
import LinuxIO
import Testing

@Suite struct ProcessFactsTests {
    @Test func thisProcessIsAlive() throws {
        let ticks = try #require(ProcessFacts.startTicks(of: ProcessFacts.processID))
        #expect(ProcessFacts.isAlive(processID: getpid(), startedAtTicks: ticks))
        #expect(!ProcessFacts.isAlive(processID: getpid(), startedAtTicks: ticks + 1))
    }

    @Test func endedProcessIsNotAlive() throws {
        let child = try ChildProcess.start("/bin/sleep", ["60"], outputPath: nil)
        let ticks = try #require(ProcessFacts.startTicks(of: child))
        #expect(ProcessFacts.isAlive(processID: child, startedAtTicks: ticks))
        _ = ChildProcess.stop(child, untilNanoseconds: PollerTests.deadline)
        #expect(!ProcessFacts.isAlive(processID: child, startedAtTicks: ticks))
    }

    @Test func processThatNobodyReapedIsNotAlive() throws {
        let child = try ChildProcess.start("/bin/sleep", ["60"], outputPath: nil)
        let ticks = try #require(ProcessFacts.startTicks(of: child))
        kill(child, SIGKILL)
        let deadline = PollerTests.deadline
        while ProcessFacts.isAlive(processID: child, startedAtTicks: ticks) {
            try #require(MonotonicClock.nanoseconds() < deadline)
            sched_yield()
        }
        #expect(FileContents.exists("/proc/\(child)/stat"))
        #expect(ChildProcess.wait(child, untilNanoseconds: deadline) == .signalled(SIGKILL))
    }

    @Test func numbersOfThisProcessMakeSense() {
        #expect(ProcessFacts.userID == geteuid())
        #expect(!ProcessFacts.hostName.isEmpty)
        #expect(ProcessFacts.processorCount >= 1)
        #expect(ProcessFacts.memoryBytes > 1 << 20)
        #expect(ProcessFacts.cpuSeconds > 0)
        // More than a megabyte, less than a terabyte: the unit is right.
        #expect((1 << 20..<1 << 40).contains(ProcessFacts.peakMemoryBytes))
    }
}
