internal import LinuxIO

/// Network namespaces on this machine, each with one line to the database's network and one to the
/// simulator's. Nothing of it leads anywhere else.
struct NetworkSpaces {
    /// Which of the two lines of a namespace.
    enum Line: String, CaseIterable, Sendable {
        case database = "d"
        case simulator = "s"

        /// Networks for benchmarks (RFC 2544), which no network routes.
        fileprivate var network: String { self == .database ? "198.18.77" : "198.18.78" }
        /// The address at which all namespaces find it.
        var address: String { "\(network).1" }
    }

    private let processID = ProcessFacts.processID
    let count: Int

    /// Makes them.
    ///
    /// - Parameter count: How many.
    /// - Throws: `CrashFailure` with the reason if the system can't; nothing is left then.
    init(count: Int) throws {
        self.count = count
        do {
            for line in Line.allCases { try makeBridge(line) }
            for number in 0..<count { try makeSpace(number) }
        } catch {
            remove()
            throw error
        }
    }

    private func bridge(_ line: Line) -> String { "sc\(line.rawValue)\(processID)" }
    private func space(_ number: Int) -> String { "sortie-crash-\(processID)-\(number)" }
    private func near(_ line: Line, _ number: Int) -> String {
        "sc\(line.rawValue)\(number)n\(processID)"
    }
    private func far(_ line: Line, _ number: Int) -> String {
        "sc\(line.rawValue)\(number)f\(processID)"
    }

    private func makeBridge(_ line: Line) throws {
        try Self.run(["link", "add", bridge(line), "type", "bridge"])
        try Self.run(["address", "add", "\(line.address)/24", "dev", bridge(line)])
        try Self.run(["link", "set", bridge(line), "up"])
    }

    private func makeSpace(_ number: Int) throws {
        try Self.run(["netns", "add", space(number)])
        for line in Line.allCases {
            let (near, far) = (near(line, number), far(line, number))
            try Self.run(
                ["link", "add", near, "type", "veth", "peer", "name", far, "netns", space(number)])
            try Self.run(["link", "set", near, "master", bridge(line)])
            try Self.run(["link", "set", near, "up"])
            let address = "\(line.network).\(10 + number)/24"
            try inside(number, ["address", "add", address, "dev", far])
            try inside(number, ["link", "set", far, "up"])
        }
        try inside(number, ["link", "set", "lo", "up"])
    }

    /// What to run a program with so that it lives in a namespace.
    func prefix(_ number: Int) -> [String] { ["ip", "netns", "exec", space(number)] }

    /// Pulls the plug of a line, or puts it in again; nobody at either end is told.
    func set(_ line: Line, of number: Int, isUp: Bool) throws {
        try Self.run(["link", "set", near(line, number), isUp ? "up" : "down"])
    }

    /// Takes everything down; programs in the namespaces should have ended.
    func remove() {
        // What is not there need not be removed.
        for number in 0..<count {
            for line in Line.allCases { try? Self.run(["link", "delete", near(line, number)]) }
            try? Self.run(["netns", "delete", space(number)])
        }
        for line in Line.allCases { try? Self.run(["link", "delete", bridge(line)]) }
    }

    private func inside(_ number: Int, _ arguments: [String]) throws {
        try Self.run(["-n", space(number)] + arguments)
    }

    private static func run(_ arguments: [String]) throws {
        let result = try ChildProcess.run(
            "ip", arguments, untilNanoseconds: MonotonicClock.nanoseconds() + 10_000_000_000)
        guard result.isSuccess else {
            let said = result.output.split(separator: "\n").first.map(String.init) ?? ""
            throw CrashFailure("ip \(arguments.joined(separator: " ")): \(said)")
        }
    }
}
