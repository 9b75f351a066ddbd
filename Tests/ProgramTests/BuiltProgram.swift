import Glibc
import LinuxIO
import Testing

/// The program as built, started as a user starts it: no terminal, no input, an environment of its
/// own.
struct BuiltProgram {
    /// How it ended.
    struct Result {
        let status: Int32
        let output: String
        let errors: String
    }

    /// The folder it is started in.
    let folder: String
    /// Its environment beside PATH; nothing else is inherited.
    var environment: [String: String] = [:]

    /// Beside the tests' own binary.
    static let path: String = {
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let bytes = buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
        let parts = String(decoding: bytes, as: UTF8.self)
            .split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropLast().joined(separator: "/") + "/sortie"
    }()

    /// Runs it to its end.
    func run(_ arguments: String..., seconds: Int = 60) throws -> Result {
        try start(arguments).wait(seconds: seconds)
    }

    /// Starts it.
    func start(_ arguments: [String]) throws -> RunningProgram {
        try RunningProgram(program: self, arguments: arguments)
    }
}

/// A started program, with its outputs going to files.
final class RunningProgram: Sendable {
    let processID: pid_t
    let outputPath: String
    let errorsPath: String
    private let end = Monitor<Int32?>(nil)

    fileprivate init(program: BuiltProgram, arguments: [String]) throws {
        let name = "\(program.folder)/\(UInt64.random(in: 1...UInt64.max))"
        outputPath = "\(name).out"
        errorsPath = "\(name).err"
        let variables = program.environment.map { "\($0)=\($1)" }
        let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
        processID = try Self.spawn(
            [BuiltProgram.path] + arguments, variables + ["PATH=\(path)"],
            folder: program.folder, output: outputPath, errors: errorsPath)
        _ = try WorkerThread.start(name: "wait") { [processID, end] in
            var status: Int32 = 0
            while waitpid(processID, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7F
            end.withLock { $0 = signal == 0 ? (status >> 8) & 0xFF : -signal }
            end.signal()
        }
    }

    func signal(_ number: Int32) { kill(processID, number) }

    /// Waits for its end; kills it when it takes too long, which fails the test.
    func wait(seconds: Int) throws -> BuiltProgram.Result {
        let deadline = MonotonicClock.nanoseconds() + Int64(seconds) * 1_000_000_000
        if !end.wait(untilNanoseconds: deadline, until: { $0 != nil }) {
            kill(processID, SIGKILL)
            Issue.record("sortie did not end within \(seconds) s:\n\(errors)")
            _ = end.wait(untilNanoseconds: nil, until: { $0 != nil })
        }
        return BuiltProgram.Result(
            status: end.withLock { $0 ?? -1 }, output: text(outputPath), errors: errors)
    }

    /// What it said on stderr so far.
    var errors: String { text(errorsPath) }

    private func text(_ path: String) -> String {
        let bytes = (try? FileContents.read(path, limitBytes: 1 << 26)) ?? []
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func spawn(
        _ words: [String], _ environment: [String], folder: String, output: String, errors: String
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let flags = O_WRONLY | O_CREAT | O_TRUNC
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, flags, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errors, flags, 0o600)
        var processID: pid_t = 0
        // The shell changes the folder and then becomes the program, in the same process.
        let command = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", folder] + words
        let code = withStrings(command) { argv in
            withStrings(environment) { envp in
                posix_spawn(&processID, command[0], &actions, nil, argv, envp)
            }
        }
        try #require(code == 0, "posix_spawn \(words[0]): \(code)")
        return processID
    }

    private static func withStrings<Value>(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Value
    ) -> Value {
        let copies = texts.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
    }
}

/// A folder that is gone after the test.
final class TemporaryFolder {
    let path: String

    init() throws {
        var template = Array("/tmp/sortie-test-XXXXXX".utf8CString)
        let made = try #require(mkdtemp(&template))
        path = String(cString: made)
        // A database's user has to pass through it.
        chmod(path, 0o755)
    }

    deinit {
        _ = system("rm -rf '\(path)'")
    }

    /// Writes a file into the folder.
    @discardableResult
    func write(_ name: String, _ text: String) throws -> String {
        try write(name, Array(text.utf8))
    }

    /// Writes a file into the folder.
    @discardableResult
    func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        let file = "\(path)/\(name)"
        try FileContents.write(file, bytes, mode: 0o600)
        return file
    }
}
