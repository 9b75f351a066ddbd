internal import APNSClient
internal import APNSProtocol
internal import CampaignModel
internal import CampaignStore
internal import LinuxIO

/// Makes requests out of rows: the campaign's message for each recipient, or the probe.
///
/// A class, because a struct in the reader's storage was copied for each row.
///
/// *Ownership and thread*: the reader's.
final class RequestRenderer {
    /// The columns that ``add(_:)`` needs of each row.
    let columns: RecipientColumns

    private let plan: PayloadPlan
    private let isProbe: Bool
    private let batchMax: Int
    private let expiresAtSeconds: Int64?
    private let constantBytes: [[UInt8]?]
    private var isExpired = false
    private var skips: [OutcomeRecord] = []
    // No accesses to these three overlap: their functions call nothing outside of them.
    private let builder: ThreadBound<PushBatchBuilder>
    private let constants: ThreadBound<[PushBatchBuilder.PayloadRange?]>
    private let ordinals = ThreadBound<[Int32]>([])

    /// A batch is large enough with so many bytes: one request that hangs keeps all of them.
    static let batchBytes = 256 << 10

    /// A renderer for one phase.
    ///
    /// - Parameters:
    ///   - plan: the campaign's message.
    ///   - phase: what is sent: the message or probes.
    ///   - batch: requests of one batch, for the storage's size.
    ///   - expiresAtSeconds: when the message's time to live is over, in seconds since 1970: nobody
    ///     gets it any more then; nil or 0 for never.
    ///   - gauge: told what the batches hold.
    init(
        plan: PayloadPlan, phase: RunPhase, batch: Int, expiresAtSeconds: Int64?,
        gauge: BatchGauge? = nil
    ) {
        batchMax = batch
        self.plan = plan
        self.expiresAtSeconds = expiresAtSeconds == 0 ? nil : expiresAtSeconds
        isProbe = phase == .probe
        columns = RecipientColumns(fields: isProbe ? [] : plan.fields)
        builder = ThreadBound(PushBatchBuilder(capacity: batch, gauge: gauge))
        constantBytes =
            isProbe
            ? [RequestHead.probePayload]
            : plan.translations.indices.map { plan.constantPayload(translation: $0) }
        constants = ThreadBound(Array(repeating: nil, count: constantBytes.count))
    }

    /// Recipients collected since the last batch was sealed.
    var count: Int { builder.value.count + skips.count }

    /// Forgets what was collected, and looks whether the message's time is over by now.
    ///
    /// - Parameter nowMicroseconds: the wall clock's time.
    func begin(nowMicroseconds: Int64) {
        isExpired = expiresAtSeconds.map { $0 * 1_000_000 <= nowMicroseconds } ?? false
        _ = builder.value.seal(slice: 0)
        reset()
    }

    /// Renders one recipient, or notes why it is left out.
    ///
    /// - Parameters:
    ///   - row: the recipient.
    ///   - bytes: where its token and values stand.
    ///   - values: the places of the values, in the order of ``columns``.
    /// - Returns: whether what was collected is enough for a batch.
    func add(
        _ row: RecipientRow, _ bytes: borrowing Span<UInt8>, _ values: borrowing Span<FieldRange>
    ) -> Bool {
        ordinals.value.append(row.ordinal)
        if isExpired {
            skip(row, RunReason.expired)
        } else if !row.isActive {
            skip(row, RunReason.notActive)
        } else if let payload = payload(for: row, bytes, values) {
            builder.value.add(
                ordinal: row.ordinal, attempts: row.attempts,
                token: bytes.extracting(row.token), payload: payload)
        }
        return count >= batchMax || builder.value.bytes.count >= Self.batchBytes
    }

    private func payload(
        for row: RecipientRow, _ bytes: borrowing Span<UInt8>,
        _ values: borrowing Span<FieldRange>
    ) -> PushBatchBuilder.PayloadRange? {
        let translation = isProbe ? 0 : row.translation
        if let range = constants.value[translation] { return range }
        if let constant = constantBytes[translation] {
            let range = builder.value.addPayload(constant)
            constants.value[translation] = range
            return range
        }
        let start = builder.value.beginPayload()
        switch plan.render(
            translation: translation, row: bytes, values: values, into: &builder.value.bytes)
        {
        case .rendered: return builder.value.endPayload(from: start)
        case .missingValue(let field): skip(row, RunReason.missingValue(field: field))
        case .tooLarge: skip(row, RunReason.payloadTooLarge)
        }
        return nil
    }

    private func skip(_ row: RecipientRow, _ cause: ReasonCode) {
        skips.append(
            OutcomeRecord(
                ordinal: row.ordinal, kind: .skipped, reason: cause, attempts: row.attempts,
                source: row.slice))
    }

    /// The batch collected, with the mark up to which it covers its slice.
    func seal(slice: Int32, through: Int32) -> RenderedBatch {
        defer { reset() }
        return RenderedBatch(
            announcement: .slice(number: slice, through: through),
            push: builder.value.count > 0 ? builder.value.seal(slice: slice) : nil, skips: skips)
    }

    /// The batch collected, of parked recipients.
    func sealParked() -> RenderedBatch {
        defer { reset() }
        return RenderedBatch(
            announcement: .retry(ordinals: ordinals.value),
            push: builder.value.count > 0 ? builder.value.seal(slice: -1) : nil, skips: skips)
    }

    private func reset() {
        skips.removeAll()
        ordinals.value.removeAll()
        for index in constants.value.indices { constants.value[index] = nil }
    }
}
