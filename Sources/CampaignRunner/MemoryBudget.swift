internal import APNSClient
internal import APNSProtocol
package import CampaignModel
internal import CampaignStore
internal import SendPolicy

/// What a run may hold in memory at most, part by part: it follows from the campaign's settings and
/// not from the audience.
///
/// Each part is a queue, a table or a buffer with its limit. The sizes of what lies in libraries
/// are what was measured of them, rounded up.
package struct MemoryBudget: Sendable, Equatable {
    /// One queue, table or buffer.
    package struct Part: Sendable, Equatable {
        /// What lies in it.
        package let name: String
        /// How many of these there may be.
        package let count: Int
        /// What one of them takes.
        package let bytesEach: Int

        /// What all of them take.
        package var bytes: Int { count * bytesEach }
    }

    /// The parts, the largest first.
    package let parts: [Part]

    /// The sum of all parts, in bytes.
    package var bytes: Int { parts.reduce(0) { $0 + $1.bytes } }

    /// Code, runtime, libraries and the C library's own reserves.
    static let programBytes = 20 << 20
    /// A connection to APNs: 64 KiB to read into, 16 KiB of plaintext, 64 KiB of frames, 256 KiB
    /// and a turn's output of records that the socket does not take, 100 KiB of TLS and HTTP/2.
    static let connectionBytes = (64 + 16 + 64 + 256 + 64 + 100) << 10
    /// A request on the wire: nghttp2's stream, our own slots, and an answer's body of 2 KiB.
    static let requestBytes = 1_024 + 256 + 2_048
    /// A connection to PostgreSQL: libpq's buffers, which grow with the longest row.
    static let databaseConnectionBytes = 256 << 10
    /// The main thread's, the reader's, the writer's, and the token's.
    static let databaseConnections = 4
    /// What rows are put together in for COPY, and what libpq makes of it.
    static let copyBytes = 2 * 320 << 10
    /// `/3/device/` and a token of the usual length; longer ones add what they are longer.
    static let pathBytes = 10 + APNSLimits.tokenDigitsUsual
    /// Arrays grow by doubling, so that half of what they hold may be free.
    private static let growth = 2

    /// The budget of a campaign: that of its larger phase.
    ///
    /// - Parameters:
    ///   - campaign: The campaign.
    ///   - tuning: The sizes of the run.
    package init(_ campaign: Campaign, tuning: RunTuning = RunTuning()) {
        let plan = PayloadPlan(campaign)
        let send = MemoryBudget(
            rate: campaign.send.rate, connections: campaign.send.connections,
            maxInFlight: campaign.send.maxInFlight, payloads: plan.translations.count,
            isPersonal: !plan.fields.isEmpty, totalPerSecond: campaign.send.maxRate.perSecond,
            tuning: tuning)
        let probe = MemoryBudget(
            rate: campaign.preflight.rate, connections: campaign.preflight.connections,
            maxInFlight: campaign.send.maxInFlight, payloads: 1, isPersonal: false,
            totalPerSecond: campaign.send.maxRate.perSecond, tuning: tuning)
        self = campaign.preflight.probe != .none && probe.bytes > send.bytes ? probe : send
    }

    /// The budget of a phase.
    ///
    /// - Parameters:
    ///   - rate: Requests per second on each connection.
    ///   - connections: To APNs.
    ///   - maxInFlight: Requests open on each of them.
    ///   - payloads: Different payloads, if they are not personal.
    ///   - isPersonal: Each recipient has a payload of their own.
    ///   - totalPerSecond: Requests per second of all workers together; nil for no limit.
    ///   - tuning: The sizes of the run.
    init(
        rate: Rate, connections: Int, maxInFlight: Int, payloads: Int, isPersonal: Bool,
        totalPerSecond: Double? = nil, tuning: RunTuning = RunTuning()
    ) {
        let pace = PhasePace(
            rate: rate, connections: connections, maxInFlight: maxInFlight,
            totalPerSecond: totalPerSecond, tuning: tuning)
        let entry = MemoryLayout<PushEntry>.stride
        let own = entry + Self.pathBytes + (isPersonal ? APNSLimits.payloadBytesMax : 0)
        let shared = isPersonal ? 0 : payloads * APNSLimits.payloadBytesMax
        let batches = Self.batches(pace, bytesEach: own)
        let outcome = MemoryLayout<OutcomeRecord>.stride
        let all = [
            Part(name: "program and libraries", count: 1, bytesEach: Self.programBytes),
            Part(name: "recipients read and not announced", count: batches.ahead, bytesEach: own),
            Part(
                name: "recipients announced and not recorded", count: batches.held,
                bytesEach: own),
            Part(name: "batch being rendered", count: pace.batch, bytesEach: own * Self.growth),
            Part(name: "payloads that a batch shares", count: batches.all, bytesEach: shared),
            Part(
                name: "outcomes to be recorded", count: pace.unrecordedMax,
                bytesEach: outcome * Self.growth),
            Part(
                name: "requests on the wire", count: connections * maxInFlight,
                bytesEach: Self.requestBytes),
            Part(
                name: "connections to APNs", count: connections, bytesEach: Self.connectionBytes),
            Part(
                name: "connections to PostgreSQL", count: Self.databaseConnections,
                bytesEach: Self.databaseConnectionBytes),
            Part(name: "rows on their way to PostgreSQL", count: 1, bytesEach: Self.copyBytes),
        ]
        parts = all.filter { $0.bytes > 0 }.sorted { $0.bytes > $1.bytes }
    }

    /// Recipients that the reader holds or has handed on, and batches in all.
    private static func batches(
        _ pace: PhasePace, bytesEach: Int
    ) -> (ahead: Int, held: Int, all: Int) {
        let ahead = pace.chunk + PhaseExchange.renderedMax * pace.batch
        let held = min(pace.unrecordedMax, PhaseExchange.batchBytesMax / bytesEach)
        return (ahead, held, (ahead + held + pace.batch - 1) / pace.batch)
    }

    /// One line for each part and one for the sum, in MiB.
    package var text: String {
        let rows = parts.map { part in
            let detail = part.count > 1 ? " (\(part.count) of \(part.bytesEach) bytes)" : ""
            return "\(Self.mebibytes(part.bytes))  \(part.name)\(detail)"
        }
        return (["Memory in MiB, at most:"] + rows + ["\(Self.mebibytes(bytes))  in all"])
            .joined(separator: "\n")
    }

    /// With one digit after the point, in a column of eight.
    private static func mebibytes(_ bytes: Int) -> String {
        let tenths = (bytes * 10 + (1 << 19)) >> 20
        let text = "\(tenths / 10).\(tenths % 10)"
        return String(repeating: " ", count: max(0, 8 - text.count)) + text
    }
}
