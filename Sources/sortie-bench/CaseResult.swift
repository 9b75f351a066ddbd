/// What a case gave.
struct CaseResult: Sendable {
    /// One run of each sender right after the other.
    struct Pair: Sendable {
        let sortie: Sample
        let load: Sample
    }

    let one: BenchCase
    var pairs: [Pair] = []
    var sortieCalls: CallCounts?
    var loadCalls: CallCounts?
    /// How the round trip was made; nil without one.
    var line: String?
    /// Why the case was left out, or ended early; nil if it was not.
    var skipped: String?

    /// A figure of every pair.
    func spread(_ value: (Pair) -> Double?) -> Spread? { Spread(pairs.compactMap(value)) }

    /// A figure of sortie's, of h2load's, and the ratio of the two in each pair.
    func compared(
        _ value: (Sample) -> Double
    ) -> (sortie: Spread, load: Spread, ratio: Spread)? {
        guard let sortie = spread({ value($0.sortie) }), let load = spread({ value($0.load) }),
            let ratio = spread({ value($0.load) > 0 ? value($0.sortie) / value($0.load) : nil })
        else { return nil }
        return (sortie, load, ratio)
    }

    /// Requests per second that streams and flow control surely allow at this distance; nil without
    /// a distance. The window is the protocol's own start value, 65,535 bytes, which the simulator
    /// keeps and, as nghttp2 and APNs do, gives back by halves: a half each round trip is what a
    /// sender gets that sends as soon as it may.
    var allowedPerSecond: Double? {
        guard one.roundTripMilliseconds > 0, let body = spread({ $0.sortie.bodyBytesPerRequest })
        else { return nil }
        let window = 32_768 / max(1, body.median)
        let perRoundTrip = Double(one.connections) * min(Double(one.streams), window)
        return perRoundTrip * 1_000 / Double(one.roundTripMilliseconds)
    }
}

extension Sample {
    private var requests: Double { Double(max(1, received.requests)) }

    var recipientsPerSecond: Double { Double(recipients) / usage.wallSeconds }
    var sendRequestsPerSecond: Double {
        requests / max(record?.sendSeconds ?? usage.wallSeconds, 0.001)
    }
    /// Processor time, in microseconds per recipient.
    var microseconds: Double { perRecipient(usage.processorSeconds) }
    /// The same per request on the wire.
    var microsecondsPerRequest: Double { usage.processorSeconds * 1e6 / requests }
    var serverMicroseconds: Double { serverSeconds * 1e6 / requests }
    var headerBytesPerRequest: Double { Double(received.headerBlockBytes) / requests }
    var bodyBytesPerRequest: Double { Double(received.bodyBytes) / requests }

    /// Processor time of the threads of a role, in microseconds per recipient.
    func microseconds(of role: ThreadRole) -> Double {
        if role == .unseen { return perRecipient(usage.unseenSeconds) }
        let seconds = usage.threadSeconds.reduce(0) { sum, thread in
            ThreadRole(threadName: thread.key) == role ? sum + thread.value : sum
        }
        return perRecipient(seconds)
    }

    func perRecipient(_ seconds: Double) -> Double { seconds * 1e6 / Double(recipients) }
}

/// What a thread of the sender is for.
enum ThreadRole: String, CaseIterable, Sendable {
    case main
    case reader
    case writer
    case loop
    case other
    /// Used by threads after the last look at them.
    case unseen

    init(threadName: String) {
        let known: [(String, ThreadRole)] = [
            ("main", .main), ("sortie-reader", .reader), ("sortie-writer", .writer),
            ("sortie-loop", .loop),
        ]
        self = known.first { threadName.hasPrefix($0.0) }?.1 ?? .other
    }
}

/// What a check of the pace gave.
struct PaceResult: Sendable {
    let pace: PaceCase
    /// Requests per second of each connection, as the simulator saw them: those after the burst
    /// that it begins with, over the time from its first to its last.
    let means: [Double]
    /// The most requests within any second on one connection.
    let most: Int

    /// The mean farthest from the rate, as a share of the rate.
    var deviation: Double {
        means.map { abs($0 - Double(pace.rate)) / Double(pace.rate) }.max() ?? 1
    }

    var isKept: Bool {
        means.count == pace.connections && deviation <= 0.005 && most <= pace.rate + pace.burst
    }
}
