internal import Glibc
internal import LinuxIO

/// `sortie simulator` as a process of its own that can be killed and started again as the same
/// server. What it accepts, it writes to a file before it answers.
final class CrashServer {
    private static let waitNanoseconds: Int64 = 30_000_000_000

    let folder: String
    private let program: String
    private let options: [String]
    private var port = 0
    private var processID: Int32?

    /// The configuration that sends to it.
    var configuration: String { "\(folder)/crash.json" }
    /// Where it writes what it accepts.
    let acceptances: String

    /// Names a server that is not started yet.
    ///
    /// - Parameters:
    ///   - program: The built sortie.
    ///   - folder: Where its keys are, or will be.
    ///   - acceptances: The file of what it accepts.
    ///   - options: Further options.
    init(program: String, folder: String, acceptances: String, options: [String]) {
        self.program = program
        self.folder = folder
        self.acceptances = acceptances
        self.options = options
    }

    /// Starts it, and waits until it listens.
    ///
    /// - Parameter script: A file of faults that it plays; nil: none.
    /// - Throws: `CrashFailure` with what it said if it does not come up.
    func start(script: String? = nil) throws {
        let ready = "\(folder)/sortie.json"
        if FileContents.exists(ready) {
            if port == 0 { port = try portInConfiguration() }
            try FileContents.remove(ready)
        }
        let log = "\(folder)/log"
        let pid = try ChildProcess.start(
            program,
            [
                "simulator", "--keep-keys", "--port", "\(port)", "--folder", folder,
                "--acceptances", acceptances,
            ] + options + (script.map { ["--script", $0] } ?? []), outputPath: log)
        processID = pid
        let deadline = MonotonicClock.nanoseconds() + Self.waitNanoseconds
        while !FileContents.exists(ready) {
            let next = MonotonicClock.nanoseconds() + 5_000_000
            guard next < deadline, ChildProcess.wait(pid, untilNanoseconds: next) == nil else {
                processID = nil
                throw CrashFailure("the simulator: \(FileText.end(log))")
            }
        }
        if port == 0 { port = try portInConfiguration() }
    }

    /// Writes the configuration that workers use: its own, with more fields.
    func writeConfiguration(adding fields: [String]) throws {
        let own = FileText.whole("\(folder)/sortie.json")
        guard let brace = own.firstIndex(of: "{") else {
            throw CrashFailure("the simulator's sortie.json has an unexpected form")
        }
        let text = "{" + fields.map { "\n  \($0)," }.joined() + own[own.index(after: brace)...]
        try FileContents.write(configuration, Array(text.utf8), mode: 0o600)
    }

    private func portInConfiguration() throws -> Int {
        let text = FileText.whole("\(folder)/sortie.json")
        guard let mark = text.firstRange(of: "\"port\":"),
            let port = Int(
                text[mark.upperBound...].drop { $0 == " " }.prefix { $0.isNumber })
        else { throw CrashFailure("the simulator's sortie.json names no port") }
        return port
    }

    /// Ends it without a word.
    func killNow() {
        guard let processID else { return }
        kill(processID, SIGKILL)
        _ = ChildProcess.wait(processID, untilNanoseconds: nil)
        self.processID = nil
    }

    /// Ends it in good order.
    func stop() {
        guard let processID else { return }
        _ = ChildProcess.stop(
            processID, untilNanoseconds: MonotonicClock.nanoseconds() + Self.waitNanoseconds)
        self.processID = nil
    }
}

/// Text of files that this test or its programs wrote.
enum FileText {
    private static let bytesMax = 1 << 30

    /// The whole text; empty if there is no such file.
    static func whole(_ path: String) -> String {
        // No file, no text: whoever needs more says so.
        let bytes = try? FileContents.read(path, limitBytes: bytesMax)
        return String(decoding: bytes ?? [], as: UTF8.self)
    }

    /// The last lines of it in one.
    static func end(_ path: String) -> String {
        String(whole(path).suffix(400)).split(separator: "\n").joined(separator: " | ")
    }
}
