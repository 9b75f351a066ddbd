internal import CLinux
internal import Glibc

/// Another program, run by this one.
///
/// A child inherits no descriptor but the three standard ones, reads from `/dev/null`, and starts
/// with no signal blocked or ignored. It has a process group of its own, so that Ctrl-C at the
/// terminal does not reach it, and so that it can be ended together with its own children.
///
/// *C:* `posix_spawnp`, `pidfd_open`, `waitpid`.
package enum ChildProcess {
    /// How a child ended.
    package enum Ending: Sendable, Equatable {
        /// It exited by itself with this code; 0 is success.
        case exited(code: Int32)
        /// A signal ended it.
        case signalled(Int32)
        /// It was still running at the deadline and was killed.
        case timedOut
    }

    /// How a child ended, and what it said.
    package struct Result: Sendable, Equatable {
        /// How it ended.
        package let ending: Ending
        /// The last part of its standard output and error, mixed as they came.
        package let output: String
        /// Whether it ended by itself with code 0.
        package var isSuccess: Bool { ending == .exited(code: 0) }
    }

    /// Runs a program and waits until it has ended; any thread that may block.
    ///
    /// What it leaves running may hold its output open; this returns when the child itself is gone.
    ///
    /// - Parameters:
    ///   - executable: a path, or a name to be found in `PATH`.
    ///   - arguments: without the program's name.
    ///   - environment: set in addition to this process's own, or instead of it name by name.
    ///   - outputBytesMax: how much of its output to keep: the end of it.
    ///   - deadline: when to kill it and its children, in nanoseconds of `MonotonicClock`; nil
    ///     waits for ever.
    /// - Returns: how it ended, and its output.
    /// - Throws: `SystemError` such as "run initdb: No such file or directory".
    package static func run(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:],
        outputBytesMax: Int = 65_536, untilNanoseconds deadline: Int64?
    ) throws(SystemError) -> Result {
        let pipe = try Pipe()
        let reader = pipe.reader
        let processID = try Spawn.start(
            executable, arguments, environment: environment, output: pipe.writer.release())
        let exit: OwnedDescriptor
        do {
            exit = try exitDescriptor(of: processID)
        } catch {
            // Not watched, so not left behind either.
            _ = end(processID)
            throw error
        }
        var capture = OutputTail(bytesMax: outputBytesMax)
        let isInTime = capture.read(reader.raw, until: exit.raw, untilNanoseconds: deadline)
        let ending = isInTime ? reap(processID) : end(processID)
        capture.drain(reader.raw)
        return Result(ending: isInTime ? ending : .timedOut, output: capture.text)
    }

    /// Starts a program that goes on by itself, in a session of its own.
    ///
    /// The caller ends it with `stop`.
    ///
    /// - Parameters:
    ///   - executable: a path, or a name to be found in `PATH`.
    ///   - arguments: without the program's name.
    ///   - environment: set in addition to this process's own, or instead of it name by name.
    ///   - outputPath: a file to which its output is appended, made with mode 0600; nil discards
    ///     it.
    /// - Returns: its process number.
    /// - Throws: `SystemError` when the file can't be opened or the program can't be run.
    package static func start(
        _ executable: String, _ arguments: [String], environment: [String: String] = [:],
        outputPath: String?
    ) throws(SystemError) -> Int32 {
        let path = outputPath ?? "/dev/null"
        // Sound: the path is lent for the call.
        let output = try systemCall("open", path) {
            unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        }
        return try Spawn.start(executable, arguments, environment: environment, output: output)
    }

    /// Starts a program as ``start(_:_:environment:outputPath:)`` does, with this process's
    /// standard error for its output.
    ///
    /// - Parameters:
    ///   - executable: a path, or a name to be found in `PATH`.
    ///   - arguments: without the program's name.
    /// - Returns: its process number.
    /// - Throws: `SystemError` when the program can't be run.
    package static func startBeside(
        _ executable: String, _ arguments: [String]
    ) throws(SystemError) -> Int32 {
        let output = try systemCall("share", "standard error") {
            fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
        }
        return try Spawn.start(executable, arguments, environment: [:], output: output)
    }

    /// Asks a child to end with SIGTERM, kills it if it has not by the deadline, and reaps it.
    ///
    /// - Parameters:
    ///   - processID: a child of this process that was not waited for yet.
    ///   - deadline: how long it has, in nanoseconds of `MonotonicClock`.
    /// - Returns: how it ended.
    package static func stop(_ processID: Int32, untilNanoseconds deadline: Int64) -> Ending {
        kill(processID, SIGTERM)
        if let ending = wait(processID, untilNanoseconds: deadline) { return ending }
        _ = end(processID)
        return .timedOut
    }

    /// Waits until a child has ended, and reaps it.
    ///
    /// - Parameters:
    ///   - processID: a child of this process that was not waited for yet.
    ///   - deadline: when to give up, in nanoseconds of `MonotonicClock`; nil waits for ever.
    /// - Returns: how it ended; nil if it still runs.
    package static func wait(
        _ processID: Int32, untilNanoseconds deadline: Int64?
    ) -> Ending? {
        // Without a descriptor to wait on there is no deadline either: then only look.
        guard let exit = try? exitDescriptor(of: processID) else {
            return tryReap(processID)
        }
        return Readiness.wait(exit.raw, untilNanoseconds: deadline) ? reap(processID) : nil
    }

    // MARK: - Pieces

    private static func exitDescriptor(
        of processID: Int32
    ) throws(SystemError) -> OwnedDescriptor {
        let raw = try systemCall("watch", "process \(processID)") { pidfd_open(processID, 0) }
        return OwnedDescriptor(owning: raw)
    }

    /// Kills a child with its process group, and reaps it.
    private static func end(_ processID: Int32) -> Ending {
        kill(-processID, SIGKILL)
        return reap(processID)
    }

    private static func reap(_ processID: Int32) -> Ending {
        var status: Int32 = 0
        // Sound: the status is written during the call.
        while unsafe waitpid(processID, &status, 0) == -1 {
            // Somebody else waited for it, against the rules: how it ended is lost.
            if errno != EINTR { return .exited(code: -1) }
        }
        return ending(status)
    }

    private static func tryReap(_ processID: Int32) -> Ending? {
        var status: Int32 = 0
        // Sound: the status is written during the call.
        return unsafe waitpid(processID, &status, WNOHANG) == processID ? ending(status) : nil
    }

    private static func ending(_ status: Int32) -> Ending {
        shim_exited(status) != 0
            ? .exited(code: shim_exit_code(status)) : .signalled(shim_ending_signal(status))
    }
}
