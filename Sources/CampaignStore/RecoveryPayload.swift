// The payload of a recovery file's frame, version 1: whose it is, the batch's id, and its rows.
//
//     run i64, worker i32, campaign text, occurrence text, definition hash text
//     phase i16, batch id i64
//     texts    u16 count, each: reason u16, text
//     outcomes u32 count, each: ordinal i32, slice or -1 i32, sent at i64, APNs' timestamp i64,
//              apns-id u64 u64, latency u32, status u16, reason u16, kind u8, attempts u8,
//              connection u8
//     parks    u32 count, each: ordinal i32, slice or -1 i32, not before i64, reason u16,
//              attempts u8, cause u8
//
// A text is its length in bytes as u16 and so many bytes of UTF-8. There is no token and no
// payload of a push in it: recipients are their numbers.

internal import APNSProtocol

/// Appends the parts of a payload.
struct RecoveryWriter {
    var bytes: [UInt8] = []

    mutating func put<Integer: FixedWidthInteger>(_ value: Integer) {
        var rest = value
        for _ in 0..<(Integer.bitWidth / 8) {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest = Integer.bitWidth > 8 ? rest >> 8 : 0
        }
    }

    /// A text; more than 65,535 bytes, which no name or reason has, are cut off.
    mutating func put(_ text: String) {
        let utf8 = text.utf8.prefix(Int(UInt16.max))
        put(UInt16(utf8.count))
        bytes.append(contentsOf: utf8)
    }

    mutating func put(_ record: RecoveryRecord) {
        let (origin, batch) = (record.origin, record.batch)
        put(origin.runID)
        put(origin.workerID)
        for text in [origin.campaign, origin.occurrence, origin.definitionHash] { put(text) }
        put(batch.phase.rawValue)
        put(batch.id)
        put(UInt16(batch.reasonTexts.count))
        for (code, text) in batch.reasonTexts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            put(code.rawValue)
            put(text)
        }
        put(UInt32(batch.outcomes.count))
        for outcome in batch.outcomes { put(outcome) }
        put(UInt32(batch.parks.count))
        for park in batch.parks { put(park) }
    }

    private mutating func put(_ outcome: OutcomeRecord) {
        put(outcome.ordinal)
        put(outcome.source)
        put(outcome.sentAtMicroseconds)
        put(outcome.apnsTimestampMilliseconds)
        put(outcome.apnsIDHigh)
        put(outcome.apnsIDLow)
        put(outcome.latencyMicroseconds)
        put(outcome.status)
        put(outcome.reason.rawValue)
        put(outcome.kind.rawValue)
        put(outcome.attempts)
        put(outcome.connection)
    }

    private mutating func put(_ park: ParkRecord) {
        put(park.ordinal)
        put(park.slice)
        put(park.notBeforeMicroseconds)
        put(park.reason.rawValue)
        put(park.attempts)
        put(park.cause.rawValue)
    }
}

/// Takes the parts of a payload; every part is nil once the bytes do not suffice.
struct RecoveryReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
        let count = Integer.bitWidth / 8
        guard rest.count >= count else { return nil }
        var value: UInt64 = 0
        for byte in rest.prefix(count).reversed() { value = value << 8 | UInt64(byte) }
        rest = rest.dropFirst(count)
        return Integer(truncatingIfNeeded: value)
    }

    mutating func text() -> String? {
        guard let count = integer(UInt16.self), rest.count >= Int(count) else { return nil }
        let text = String(validating: rest.prefix(Int(count)), as: UTF8.self)
        rest = rest.dropFirst(Int(count))
        return text
    }

    mutating func record() -> RecoveryRecord? {
        guard let run = integer(Int64.self), let worker = integer(Int32.self),
            let campaign = text(), let occurrence = text(), let hash = text(),
            let phase = integer(Int16.self).flatMap(RunPhase.init(rawValue:)),
            let id = integer(Int64.self), id != 0, let texts = reasonTexts(),
            let outcomes = outcomes(), let parks = parks()
        else { return nil }
        var batch = RecordBatch(phase: phase, id: id)
        batch.reasonTexts = texts
        batch.outcomes = outcomes
        batch.parks = parks
        let origin = RecoveryOrigin(
            runID: run, workerID: worker, campaign: campaign, occurrence: occurrence,
            definitionHash: hash)
        return RecoveryRecord(origin: origin, batch: batch)
    }

    private mutating func reasonTexts() -> [ReasonCode: String]? {
        guard let count = integer(UInt16.self) else { return nil }
        var texts: [ReasonCode: String] = [:]
        for _ in 0..<count {
            guard let code = integer(UInt16.self), let text = text() else { return nil }
            texts[ReasonCode(rawValue: code)] = text
        }
        return texts
    }

    private mutating func outcomes() -> [OutcomeRecord]? {
        guard let count = integer(UInt32.self) else { return nil }
        var outcomes: [OutcomeRecord] = []
        for _ in 0..<count {
            guard let outcome = outcome() else { return nil }
            outcomes.append(outcome)
        }
        return outcomes
    }

    private mutating func outcome() -> OutcomeRecord? {
        guard let ordinal = integer(Int32.self), let source = integer(Int32.self),
            let sentAt = integer(Int64.self), let timestamp = integer(Int64.self),
            let high = integer(UInt64.self), let low = integer(UInt64.self),
            let latency = integer(UInt32.self), let status = integer(UInt16.self),
            let reason = integer(UInt16.self),
            let kind = integer(UInt8.self).flatMap(OutcomeKind.init(rawValue:)),
            let attempts = integer(UInt8.self), let connection = integer(UInt8.self)
        else { return nil }
        return OutcomeRecord(
            ordinal: ordinal, kind: kind, status: status, reason: ReasonCode(rawValue: reason),
            attempts: attempts, connection: connection, latencyMicroseconds: latency,
            sentAtMicroseconds: sentAt, apnsTimestampMilliseconds: timestamp, apnsIDHigh: high,
            apnsIDLow: low, source: source)
    }

    private mutating func parks() -> [ParkRecord]? {
        guard let count = integer(UInt32.self) else { return nil }
        var parks: [ParkRecord] = []
        for _ in 0..<count {
            guard let park = park() else { return nil }
            parks.append(park)
        }
        return parks
    }

    private mutating func park() -> ParkRecord? {
        guard let ordinal = integer(Int32.self), let slice = integer(Int32.self),
            let notBefore = integer(Int64.self), let reason = integer(UInt16.self),
            let attempts = integer(UInt8.self),
            let cause = integer(UInt8.self).flatMap(ParkCause.init(rawValue:))
        else { return nil }
        return ParkRecord(
            ordinal: ordinal, slice: slice, attempts: attempts, cause: cause,
            reason: ReasonCode(rawValue: reason), notBeforeMicroseconds: notBefore)
    }
}
