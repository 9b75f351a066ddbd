internal import LinuxIO

/// A network namespace behind a link that delays packets as a long line does.
struct FarNetwork {
    private let name = "sortie-bench-\(ProcessFacts.processID)"
    private let near = "sbn\(ProcessFacts.processID)"
    private let far = "sbf\(ProcessFacts.processID)"
    /// Addresses for documentation and benchmarks (RFC 2544), which no network routes.
    private static let nearAddress = "198.18.77.1"
    static let farAddress = "198.18.77.2"
    /// Packets that may be on the way: more than 100 MB/s have in 200 ms.
    private static let packetsMax = 200_000

    /// What to run a program with so that it lives at the far end.
    var prefix: [String] { ["ip", "netns", "exec", name] }

    /// Makes it.
    ///
    /// - Parameter roundTripMilliseconds: Half of it is added at each end.
    /// - Throws: `BenchFailure` with the reason if the system can't; nothing is left then.
    init(roundTripMilliseconds: Int) throws {
        let delay = "\(roundTripMilliseconds * 500)us"
        let limit = "\(Self.packetsMax)"
        let inside = ["netns", "exec", name]
        do {
            try Self.run("ip", ["netns", "add", name])
            try Self.run(
                "ip", ["link", "add", near, "type", "veth", "peer", "name", far, "netns", name])
            try Self.run("ip", ["address", "add", "\(Self.nearAddress)/30", "dev", near])
            try Self.run("ip", ["link", "set", near, "up"])
            try Self.run(
                "ip", inside + ["ip", "address", "add", "\(Self.farAddress)/30", "dev", far])
            try Self.run("ip", inside + ["ip", "link", "set", far, "up"])
            try Self.run("ip", inside + ["ip", "link", "set", "lo", "up"])
            let netem = ["root", "netem", "delay", delay, "limit", limit]
            try Self.run("tc", ["qdisc", "add", "dev", near] + netem)
            try Self.run("ip", inside + ["tc", "qdisc", "add", "dev", far] + netem)
        } catch {
            remove()
            throw error
        }
    }

    /// Takes it down; programs in it should have ended.
    func remove() {
        // What is not there need not be removed.
        try? Self.run("ip", ["link", "delete", near])
        try? Self.run("ip", ["netns", "delete", name])
    }

    private static func run(_ program: String, _ arguments: [String]) throws {
        let result = try ChildProcess.run(
            program, arguments,
            untilNanoseconds: MonotonicClock.nanoseconds() + 10_000_000_000)
        guard result.isSuccess else {
            let said = result.output.split(separator: "\n").first.map(String.init) ?? ""
            throw BenchFailure("\(program) \(arguments.joined(separator: " ")): \(said)")
        }
    }
}
