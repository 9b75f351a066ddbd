internal import LinuxIO

/// What a simulator counted between two moments.
struct ServerCounts: Sendable {
    var requests = 0
    /// Header fields as they came over the wire.
    var headerBlockBytes = 0
    var bodyBytes = 0

    static func - (later: ServerCounts, earlier: ServerCounts) -> ServerCounts {
        ServerCounts(
            requests: later.requests - earlier.requests,
            headerBlockBytes: later.headerBlockBytes - earlier.headerBlockBytes,
            bodyBytes: later.bodyBytes - earlier.bodyBytes)
    }
}

/// `sortie simulator --fast`, running as a process of its own.
struct BenchServer {
    let folder: String
    let processID: Int32
    /// Where senders connect to; a relay may stand between.
    var host = "127.0.0.1"
    var port = 0

    private static let waitNanoseconds: Int64 = 20_000_000_000

    /// Starts it and waits until it listens.
    ///
    /// - Parameters:
    ///   - program: The built sortie.
    ///   - folder: A new folder for its files.
    ///   - options: Further options.
    ///   - prefix: A program that runs it, with its arguments; empty: none.
    /// - Throws: `BenchFailure` with what it said if it does not come up.
    init(program: String, folder: String, options: [String], prefix: [String] = []) throws {
        self.folder = folder
        try FileContents.makeDirectory(folder, mode: 0o700)
        let command =
            prefix + [
                program, "simulator", "--fast", "--port", "0", "--folder", folder,
                "--statistics", "\(folder)/statistics.json",
            ] + options
        let log = "\(folder)/log"
        processID = try ChildProcess.start(
            command[0], Array(command.dropFirst()), outputPath: log)
        let deadline = MonotonicClock.nanoseconds() + Self.waitNanoseconds
        while !FileContents.exists("\(folder)/sortie.json") {
            let next = MonotonicClock.nanoseconds() + 10_000_000
            guard next < deadline, ChildProcess.wait(processID, untilNanoseconds: next) == nil
            else { throw BenchFailure("the simulator: \(KernelFiles.text(log) ?? "")") }
        }
        guard let port = NamedNumbers.first("port", in: try configuration()) else {
            throw BenchFailure("the simulator's sortie.json names no port")
        }
        self.port = port
    }

    /// The configuration that sends to it, as it wrote it.
    func configuration() throws -> String {
        String(
            decoding: try FileContents.read("\(folder)/sortie.json", limitBytes: 100_000),
            as: UTF8.self)
    }

    /// Processor time that it has used, in seconds.
    var processorSeconds: Double { KernelFiles.processSeconds(processID) }

    /// What it has counted, once it has counted so many requests: it writes its statistics every
    /// second.
    ///
    /// - Parameter requests: How many it should have received.
    /// - Returns: All that it has counted since its start.
    /// - Throws: `BenchFailure` if it has not within twenty seconds.
    func counts(requests: Int) throws -> ServerCounts {
        let deadline = MonotonicClock.nanoseconds() + Self.waitNanoseconds
        while true {
            if let text = KernelFiles.text("\(folder)/statistics.json"),
                let seen = NamedNumbers.first("requests", in: text), seen >= requests
            {
                return ServerCounts(
                    requests: seen,
                    headerBlockBytes: NamedNumbers.first("header_block_bytes", in: text) ?? 0,
                    bodyBytes: NamedNumbers.first("body_bytes", in: text) ?? 0)
            }
            let next = MonotonicClock.nanoseconds() + 20_000_000
            guard next < deadline, ChildProcess.wait(processID, untilNanoseconds: next) == nil
            else { throw BenchFailure("the simulator has not counted \(requests) requests") }
        }
    }

    /// Ends it.
    ///
    /// - Returns: Its last statistics, as JSON.
    @discardableResult
    func stop() -> String {
        let deadline = MonotonicClock.nanoseconds() + Self.waitNanoseconds
        _ = ChildProcess.stop(processID, untilNanoseconds: deadline)
        return KernelFiles.text("\(folder)/statistics.json") ?? ""
    }
}

/// Finds numbers in JSON that has one member per line.
enum NamedNumbers {
    /// The first member of this name.
    static func first(_ name: String, in text: String) -> Int? {
        all(name, in: text).first.map { Int($0) }
    }

    /// The values of every member of this name, in order.
    static func all(_ name: String, in text: String) -> [Double] {
        let mark = "\"\(name)\":"
        var values: [Double] = []
        var rest = text[...]
        while let start = rest.firstRange(of: mark) {
            rest = rest[start.upperBound...].drop { $0 == " " }
            let digits = rest.prefix { $0.isNumber || $0 == "." }
            if let value = Double(digits) { values.append(value) }
        }
        return values
    }
}
