// Running the program as people do.

import Foundation
import Glibc
import LinuxIO

/// How a run of the program ended.
package struct ProgramResult: Sendable {
    /// The exit code; 128 + the signal if one ended it.
    package let exitCode: Int32
    /// Standard output.
    package let output: String
    /// Standard error.
    package let errors: String
    /// It was still running at the deadline and was killed.
    package let isTimedOut: Bool
}

/// Runs the built `sortie`.
///
/// *Thread:* any that may block.
package enum ProgramRunner {
    /// The path of the program, beside the test bundle.
    ///
    /// - Parameter name: The program's name.
    /// - Returns: Its path.
    /// - Throws: If it was not built.
    package static func path(of name: String = "sortie") throws -> String {
        let link = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let starts = [Bundle.main.bundlePath, link] + CommandLine.arguments + testBundles
        for start in starts where start.hasPrefix("/") {
            var folder = start
            while let slash = folder.lastIndex(of: "/"), slash > folder.startIndex {
                folder = String(folder[..<slash])
                let path = "\(folder)/\(name)"
                var facts = stat()
                if stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
                    access(path, X_OK) == 0
                {
                    return path
                }
            }
        }
        throw ProgramMissing(name: name)
    }

    /// Test bundles that this process has loaded: `swift test` runs them inside a helper of the
    /// toolchain, which is somewhere else.
    private static var testBundles: [String] {
        let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
        return maps.split(separator: "\n").compactMap { line in
            guard let start = line.firstIndex(of: "/") else { return nil }
            let path = String(line[start...])
            return path.hasSuffix(".xctest") ? path : nil
        }
    }

    /// Runs the program to its end.
    ///
    /// - Parameters:
    ///   - arguments: Without the program's name.
    ///   - environment: Set in addition to this process's own.
    ///   - folder: Its working directory; nil is this process's.
    ///   - seconds: How long it may take.
    ///   - program: Its name.
    /// - Returns: What it said and how it ended.
    /// - Throws: If it can't be started.
    package static func run(
        _ arguments: [String], environment: [String: String] = [:], folder: String? = nil,
        seconds: Double = 60, program: String = "sortie"
    ) throws -> ProgramResult {
        let running = try RunningProgram(
            arguments, environment: environment, folder: folder, program: program)
        return try running.finish(seconds: seconds)
    }
}

/// The program is not where it should be.
package struct ProgramMissing: Error, CustomStringConvertible {
    let name: String
    package var description: String {
        "the program \(name) was not found beside the tests; run swift build first"
    }
}

/// A program under way, for tests that talk to it or end it.
///
/// *Ownership:* it is killed when the object goes and it still runs.
package final class RunningProgram {
    private let folder: String
    private let process: Int32
    private var isReaped = false

    /// Starts the program with its output going to files.
    ///
    /// - Parameters:
    ///   - arguments: Without the program's name.
    ///   - environment: Set in addition to this process's own.
    ///   - folder: Its working directory; nil is this process's.
    ///   - program: Its name.
    /// - Throws: If it can't be started.
    package init(
        _ arguments: [String], environment: [String: String] = [:], folder: String? = nil,
        program: String = "sortie"
    ) throws {
        self.folder = "/tmp/sortie-test-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
        try FileContents.makeDirectory(self.folder, mode: 0o700)
        // A shell, so that both outputs have a file of their own; it becomes the program.
        let script = "cd \"$1\" && out=$2 && shift 2 && exec \"$@\" >\"$out/out\" 2>\"$out/err\""
        let path = try ProgramRunner.path(of: program)
        process = try ChildProcess.start(
            "/bin/sh",
            [
                "-c", script, "sh", folder ?? FileManager.default.currentDirectoryPath, self.folder,
                path,
            ]
                + arguments,
            environment: environment, outputPath: nil)
    }

    deinit {
        if !isReaped {
            kill(process, SIGKILL)
            _ = ChildProcess.wait(process, untilNanoseconds: nil)
        }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The program's process id.
    package var processID: Int32 { process }

    /// Standard output so far.
    package var output: String { text("out") }

    /// Standard error so far.
    package var errors: String { text("err") }

    /// Sends a signal.
    ///
    /// - Parameter signal: Its number.
    package func signal(_ signal: Int32) { kill(process, signal) }

    /// Waits until what the program has said so far is as wanted.
    ///
    /// - Parameters:
    ///   - seconds: How long at most.
    ///   - condition: Asked again and again with standard output and standard error.
    /// - Returns: Whether it came to be.
    package func wait(
        seconds: Double = 30, until condition: (_ output: String, _ errors: String) -> Bool
    ) -> Bool {
        let deadline = MonotonicClock.nanoseconds() + Int64(seconds * 1_000_000_000)
        while MonotonicClock.nanoseconds() < deadline {
            if condition(output, errors) { return true }
            usleep(10_000)
        }
        return condition(output, errors)
    }

    /// Waits for the end.
    ///
    /// - Parameter seconds: How long at most; then it is killed.
    /// - Returns: What it said and how it ended.
    /// - Throws: Nothing at present.
    package func finish(seconds: Double = 60) throws -> ProgramResult {
        let deadline = MonotonicClock.nanoseconds() + Int64(seconds * 1_000_000_000)
        var ending = ChildProcess.wait(process, untilNanoseconds: deadline)
        let isTimedOut = ending == nil
        if isTimedOut {
            kill(process, SIGKILL)
            ending = ChildProcess.wait(process, untilNanoseconds: nil)
        }
        isReaped = true
        let code: Int32
        switch ending {
        case .exited(let exit): code = exit
        case .signalled(let signal): code = 128 + signal
        case .timedOut, nil: code = -1
        }
        return ProgramResult(
            exitCode: code, output: output, errors: errors, isTimedOut: isTimedOut)
    }

    private func text(_ name: String) -> String {
        (try? FileContents.read("\(folder)/\(name)", limitBytes: 64 << 20))
            .map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
