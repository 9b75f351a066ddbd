internal import Glibc
internal import LinuxIO

/// Everything from an empty folder to the tables.
struct Bench {
    let options: BenchOptions
    let stop: StopFlag
    let say: (String) -> Void

    private static let boundFactor = 4.0

    /// Runs it, in a folder of its own that is removed afterwards.
    ///
    /// - Returns: Whether everything asked for was measured.
    func run() throws -> Bool {
        let folder = "/tmp/sortie-bench-\(ProcessFacts.processID)"
        try FileContents.makeDirectory(folder, mode: 0o755)
        defer { removeFolder(folder) }
        let minutes = { (seconds: Double) in NumberText.fixed(seconds / 60, digits: 0) }
        let expected = options.secondsExpected
        let most = options.secondsMax ?? expected * Self.boundFactor
        say(
            "\(options.cases.count) cases, \(options.paces.count) paces: about "
                + "\(minutes(expected)) minutes; no case begins after \(minutes(most)).")
        let deadline = MonotonicClock.nanoseconds() + Int64(most * 1e9)
        let results = try measure(in: folder, until: deadline)
        try publish(results)
        return results.isComplete
    }

    private func measure(in folder: String, until deadline: Int64) throws -> BenchResults {
        let programs = try Programs(options.program)
        let senders = Senders(
            program: programs.sortie, counter: programs.counter,
            processes: MeasuredProcess(folder: folder, stop: stop))
        let database = try BenchDatabase(
            folder: "\(folder)/database", settings: options.settings
        ) { conninfo in try migrate(senders, folder, conninfo) }
        defer { stopDatabase(database) }
        var results = BenchResults(
            machine: Machine.current(), startedSeconds: WallClock.microseconds() / 1_000_000,
            serverVersion: database.serverVersion,
            settings: options.settings.map { "\($0.name)=\($0.value)" })
        for (number, one) in options.cases.enumerated() {
            results.cases.append(
                result(of: one, until: deadline) {
                    try CaseRun(
                        one: one, database: database, senders: senders,
                        folder: "\(folder)/case-\(number)", say: say
                    ).run()
                })
        }
        for (number, pace) in options.paces.enumerated() {
            guard !stop.isSet, MonotonicClock.nanoseconds() < deadline else {
                results.missing.append("pace \(pace.rate): there was no time left")
                continue
            }
            say("pace: \(pace.rate) per second on \(pace.connections) connections")
            do {
                results.paces.append(
                    try PaceCheck(
                        pace: pace, database: database, senders: senders,
                        folder: "\(folder)/pace-\(number)"
                    ).run())
            } catch {
                results.missing.append("pace \(pace.rate): \(Self.short(error))")
                say("  skipped: \(Self.short(error))")
            }
        }
        return results
    }

    private func result(
        of one: BenchCase, until deadline: Int64, _ measure: () throws -> CaseResult
    ) -> CaseResult {
        var skipped = CaseResult(one: one)
        if stop.isSet {
            skipped.skipped = "stopped"
        } else if MonotonicClock.nanoseconds() >= deadline {
            skipped.skipped = "there was no time left"
        } else {
            say("\(one.name): \(NumberText.grouped(one.recipients)) recipients")
            do {
                return try measure()
            } catch {
                skipped.skipped = Self.short(error)
            }
        }
        say("  skipped: \(skipped.skipped ?? "")")
        return skipped
    }

    /// A reason in one line that a table's reader takes in.
    private static func short(_ error: any Error) -> String {
        String("\(error)".split(separator: "\n").joined(separator: " ").prefix(300))
    }

    private func migrate(_ senders: Senders, _ folder: String, _ conninfo: String) throws {
        let configuration = "\(folder)/sortie.json"
        let text = conninfo.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        try FileContents.write(
            configuration, Array("{ \"database\": \"\(text)\" }\n".utf8), mode: 0o600)
        let result = try senders.processes.run(
            [senders.program, "database", "migrate", "--config", configuration], seconds: 60)
        guard result.ending == .exited(code: 0) else { throw BenchFailure(result.output) }
    }

    // MARK: - The end

    private func publish(_ results: BenchResults) throws {
        for table in results.tables { say("\n\(table.title)\n\n\(table.text)") }
        for line in results.notes { say(line) }
        try FileContents.write(options.output, Array(results.json.utf8), mode: 0o644)
        say("\nThe figures: \(options.output)")
        if let page = options.page {
            try PageTables.replace(on: page, with: results)
            say("The tables: \(page)")
        }
    }

    private func stopDatabase(_ database: BenchDatabase) {
        do {
            try database.stop()
        } catch {
            say("the private PostgreSQL still runs: \(error)")
        }
    }

    private func removeFolder(_ folder: String) {
        let result = try? ChildProcess.run(
            "/bin/rm", ["-rf", folder],
            untilNanoseconds: MonotonicClock.nanoseconds() + 60_000_000_000)
        if result?.isSuccess != true { say("left behind: \(folder)") }
    }
}

/// Where the built programs are.
private struct Programs {
    let sortie: String
    let counter: String

    /// - Parameter sortie: The sortie to measure; nil: the one beside this program.
    /// - Throws: `BenchFailure` if one is missing.
    init(_ sortie: String?) throws {
        var buffer = [CChar](repeating: 0, count: 4_096)
        // Sound: the call writes at most the buffer's length, and no NUL.
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        let path = buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
        let own = String(decoding: path, as: UTF8.self)
        let folder = own.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            .joined(separator: "/")
        self.sortie = sortie ?? "\(folder)/sortie"
        counter = "\(folder)/libCallCounter.so"
        for file in [self.sortie, counter] where !FileContents.exists(file) {
            throw BenchFailure("\(file) is missing; Scripts/bench builds it")
        }
    }
}
