/// One situation in which both senders are measured.
struct BenchCase: Sendable {
    /// What the campaign looks like.
    enum Shape: Sendable {
        /// One text for everybody, about 200 bytes.
        case plain
        /// Six languages, the recipient's name in each.
        case personal
        /// As plain, after a preflight that finds three in ten tokens dead.
        case dead
        /// The most that APNs takes.
        case large
    }

    let name: String
    /// What a reader of the table should know.
    let title: String
    var shape = Shape.plain
    var recipients = 1_000_000
    var connections = 4
    /// Requests that may wait for their answer on each connection.
    var streams = 100
    var roundTripMilliseconds = 0
    /// In place of the program's own choice, as `sortie.json` writes it.
    var headerEncoder: String?
    /// In place of the program's own choice: threads that send.
    var eventLoops: Int?
    var pairs = 5

    /// Seconds that one pair is expected to take on a machine of two processors. Bounds are made
    /// of it, so it is on the high side.
    var pairSeconds: Double {
        let count = Double(recipients)
        let path = roundTripMilliseconds > 0 ? 30e-6 : 12e-6
        let factor: Double =
            switch shape {
            case .plain, .personal: 1
            case .dead: 3
            case .large: 3
            }
        return 2 + count * path * factor
    }

    /// Every case, by rising number of recipients: devices are added, never taken away.
    static let all: [BenchCase] = [
        BenchCase(
            name: "recipients-10k", title: "10,000 recipients", recipients: 10_000, pairs: 9),
        BenchCase(
            name: "rtt-20", title: "20 ms round trip, 4 connections", recipients: 200_000,
            streams: 1_000, roundTripMilliseconds: 20),
        BenchCase(
            name: "rtt-100", title: "100 ms round trip, 16 connections", recipients: 1_000_000,
            connections: 16, streams: 1_000, roundTripMilliseconds: 100),
        BenchCase(name: "plain", title: "plain"),
        BenchCase(name: "personal", title: "personalised, six locales", shape: .personal),
        BenchCase(name: "dead", title: "preflight of all, 30 % dead", shape: .dead),
        BenchCase(name: "large", title: "4 KiB payloads", shape: .large, recipients: 1_000_000),
        BenchCase(name: "connections-1", title: "1 connection", connections: 1),
        BenchCase(name: "connections-16", title: "16 connections", connections: 16),
        BenchCase(
            name: "encoder-nghttp2", title: "plain, header_encoder: nghttp2",
            headerEncoder: "nghttp2"),
        BenchCase(name: "loops-2", title: "plain, event_loops: 2", eventLoops: 2),
        BenchCase(
            name: "recipients-10m", title: "10,000,000 recipients", recipients: 10_000_000,
            pairs: 3),
    ]

    /// The cases that end within two minutes, the most telling first.
    static var quick: [BenchCase] {
        let sizes = [
            ("plain", 100_000), ("personal", 100_000), ("dead", 50_000), ("rtt-20", 20_000),
            ("large", 20_000),
        ]
        return sizes.compactMap { name, recipients in
            guard var one = all.first(where: { $0.name == name }) else { return nil }
            one.recipients = recipients
            one.pairs = name == "plain" ? 3 : 2
            return one
        }
    }
}

/// One pace that is checked as the server sees it.
struct PaceCase: Sendable {
    /// Requests per second on each connection.
    let rate: Int
    /// Requests that may go at once beyond it.
    let burst: Int
    var seconds = 60
    var connections = 4

    var recipients: Int { rate * connections * seconds + burst * connections }

    static let all = [
        PaceCase(rate: 100, burst: 10), PaceCase(rate: 1_500, burst: 100),
        PaceCase(rate: 20_000, burst: 1_000),
    ]
}
