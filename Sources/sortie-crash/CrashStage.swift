internal import Glibc
internal import LinuxIO

/// What all rounds share: a folder, a PostgreSQL with devices, the program, the simulator's keys.
final class CrashStage {
    let options: CrashOptions
    let stop: StopFlag
    let folder: String
    let program: String
    let database: CrashDatabase
    let tuning: CrashCampaign.Tuning

    private static let commandNanoseconds: Int64 = 60_000_000_000
    private static let latencyMilliseconds = 20

    /// Sets it up in a folder of its own.
    ///
    /// - Parameters:
    ///   - options: What was asked for.
    ///   - stop: Set when somebody wants it to end.
    /// - Throws: What is missing, or does not start; nothing is left then but a folder.
    init(options: CrashOptions, stop: StopFlag) throws {
        self.options = options
        self.stop = stop
        tuning = CrashCampaign.Tuning(recipients: options.recipients)
        folder = "/tmp/sortie-crash-\(ProcessFacts.processID)"
        program = try options.program ?? Self.neighbour("sortie")
        guard FileContents.exists(program) else {
            throw CrashFailure("\(program) is missing; Scripts/crash-test builds it")
        }
        try FileContents.makeDirectory(folder, mode: 0o755)
        try FileContents.makeDirectory("\(folder)/simulator", mode: 0o700)
        database = try CrashDatabase(folder: "\(folder)/database")
        do {
            try migrate()
            try database.prepare(devices: options.recipients)
        } catch {
            end(keepsFolder: false)
            throw error
        }
    }

    /// A program beside this one.
    private static func neighbour(_ name: String) throws -> String {
        var buffer = [CChar](repeating: 0, count: 4_096)
        // Sound: the call writes at most the buffer's length, and no NUL.
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        let path = buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
        let own = String(decoding: path, as: UTF8.self)
        return own.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            .joined(separator: "/") + "/\(name)"
    }

    private func migrate() throws {
        let configuration = "\(folder)/sortie.json"
        try FileContents.write(
            configuration, Array("{ \(databaseField(database.conninfo)) }\n".utf8), mode: 0o600)
        let result = try ChildProcess.run(
            program, ["database", "migrate", "--config", configuration],
            untilNanoseconds: MonotonicClock.nanoseconds() + Self.commandNanoseconds)
        guard result.isSuccess else { throw CrashFailure(result.output) }
    }

    /// The configuration's field for a database.
    func databaseField(_ conninfo: String) -> String {
        let text = conninfo.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"database\": \"\(text)\""
    }

    /// A simulator for one round; all have the same keys.
    func server(acceptances: String, options more: [String] = []) -> CrashServer {
        CrashServer(
            program: program, folder: "\(folder)/simulator", acceptances: acceptances,
            options: ["--app", CrashCampaign.app, "--latency", "\(Self.latencyMilliseconds)"]
                + more)
    }

    /// Writes the configuration that sends to a simulator.
    func writeConfiguration(_ server: CrashServer) throws {
        try server.writeConfiguration(
            adding: [databaseField(database.conninfo), tuning.text])
    }

    // MARK: - The end

    /// Stops the database and removes the folder.
    ///
    /// - Parameter keepsFolder: Something in it is worth looking at.
    func end(keepsFolder: Bool) {
        do {
            try database.stop()
        } catch {
            CrashProgram.say("the private PostgreSQL still runs: \(error)")
        }
        if !keepsFolder { removeFolder(folder) }
    }

    /// Removes a folder of this test with everything in it.
    func removeFolder(_ folder: String) {
        let result = try? ChildProcess.run(
            "/bin/rm", ["-rf", folder],
            untilNanoseconds: MonotonicClock.nanoseconds() + Self.commandNanoseconds)
        if result?.isSuccess != true { CrashProgram.say("left behind: \(folder)") }
    }
}
