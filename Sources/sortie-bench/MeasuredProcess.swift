internal import Glibc
internal import LinuxIO

/// Runs a program and measures what it uses.
///
/// Its processor time comes from the kernel when it has ended and is complete; what its threads
/// used is looked at every 20 ms, because a thread's count goes with the thread.
struct MeasuredProcess {
    private static let lookNanoseconds: Int64 = 20_000_000

    /// Where the program's output goes, and the counting library's.
    let folder: String
    let stop: StopFlag

    /// How a program ended, what it used, and what it said.
    struct Result {
        let ending: ChildProcess.Ending
        let usage: ProcessUsage
        let output: String
    }

    /// Runs a program to its end.
    ///
    /// - Parameters:
    ///   - command: The program and its arguments.
    ///   - environment: Set in addition to this process's own.
    ///   - seconds: After so long it is stopped.
    /// - Returns: What came out.
    /// - Throws: `BenchFailure` if it can't be started, does not end, or this program is told to
    ///   stop.
    func run(
        _ command: [String], environment: [String: String] = [:], seconds: Double
    ) throws -> Result {
        let outputPath = "\(folder)/output"
        if FileContents.exists(outputPath) { try FileContents.remove(outputPath) }
        var usage = ProcessUsage()
        let before = Self.childrenUsage()
        let start = MonotonicClock.nanoseconds()
        let processID = try ChildProcess.start(
            command[0], Array(command.dropFirst()), environment: environment,
            outputPath: outputPath)
        let ending = try wait(processID, until: start + Int64(seconds * 1e9), &usage)
        usage.wallSeconds = Double(MonotonicClock.nanoseconds() - start) / 1e9
        let after = Self.childrenUsage()
        usage.userSeconds = after.user - before.user
        usage.systemSeconds = after.system - before.system
        return Result(
            ending: ending, usage: usage, output: KernelFiles.text(outputPath) ?? "")
    }

    private func wait(
        _ processID: Int32, until deadline: Int64, _ usage: inout ProcessUsage
    ) throws -> ChildProcess.Ending {
        var threads: [String: (name: String, seconds: Double)] = [:]
        while true {
            let next = MonotonicClock.nanoseconds() + Self.lookNanoseconds
            if let ending = ChildProcess.wait(processID, untilNanoseconds: next) {
                usage.threadSeconds = threads.values.reduce(into: [:]) { sums, thread in
                    sums[thread.name, default: 0] += thread.seconds
                }
                return ending
            }
            look(processID, &threads)
            usage.peakBytes = max(usage.peakBytes, KernelFiles.peakBytes(processID) ?? 0)
            if next > deadline || stop.isSet {
                _ = ChildProcess.stop(
                    processID, untilNanoseconds: MonotonicClock.nanoseconds() + 20_000_000_000)
                throw BenchFailure(stop.isSet ? "stopped" : "a program did not end in time")
            }
        }
    }

    /// A thread's name is read each time: a new thread has its maker's for a moment.
    private func look(
        _ processID: Int32, _ threads: inout [String: (name: String, seconds: Double)]
    ) {
        for thread in KernelFiles.threads(processID) {
            guard let seconds = KernelFiles.threadSeconds(processID, thread: thread),
                let name = KernelFiles.threadName(processID, thread: thread)
            else { continue }
            threads[thread] = (thread == "\(processID)" ? "main" : name, seconds)
        }
    }

    /// Processor time of all children that have ended. One child is measured at a time, and no
    /// other one ends meanwhile.
    private static func childrenUsage() -> (user: Double, system: Double) {
        var usage = rusage()
        // Sound: the structure is written during the call, which can't fail for these arguments.
        unsafe getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
        func seconds(_ time: timeval) -> Double {
            Double(time.tv_sec) + Double(time.tv_usec) / 1e6
        }
        return (seconds(usage.ru_utime), seconds(usage.ru_stime))
    }
}
