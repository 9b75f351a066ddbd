import APNSProtocol
@testable import CampaignStore
import Testing

struct RecoveryCodecTests {
    private static let origin = RecoveryOrigin(
        runID: 7, workerID: 3, campaign: "sale", occurrence: "2026-12-05", definitionHash: "abc")

    /// Any batch: all words, extreme numbers, texts beyond ASCII.
    static func batch(
        _ random: inout SeededGenerator, outcomes: Int, parks: Int
    ) -> RecordBatch {
        let texts = ["", "Unregistered", "ű \"x\"", String(repeating: "y", count: 300)]
        var batch = RecordBatch(
            phase: RunPhase.allCases.randomElement(using: &random) ?? .send,
            id: .random(in: 1...Int64.max, using: &random))
        func reason(_ random: inout SeededGenerator) -> ReasonCode {
            let code = ReasonCode(rawValue: .random(in: 0...4000, using: &random))
            if Bool.random(using: &random) {
                batch.reasonTexts[code] = texts.randomElement(using: &random)
            }
            return code
        }
        for _ in 0..<outcomes {
            let outcome = OutcomeRecord(
                ordinal: .random(in: 1...Int32.max, using: &random),
                kind: OutcomeKind.allCases.randomElement(using: &random) ?? .unknown,
                status: .random(in: 0...UInt16.max, using: &random), reason: reason(&random),
                attempts: .random(in: 0...255, using: &random),
                connection: .random(in: 0...255, using: &random),
                latencyMicroseconds: .random(in: 0...UInt32.max, using: &random),
                sentAtMicroseconds: .random(in: Int64.min...Int64.max, using: &random),
                apnsTimestampMilliseconds: .random(in: Int64.min...Int64.max, using: &random),
                apnsIDHigh: random.next(), apnsIDLow: random.next(),
                source: .random(in: -1...100, using: &random))
            batch.outcomes.append(outcome)
        }
        for _ in 0..<parks {
            let park = ParkRecord(
                ordinal: .random(in: 1...Int32.max, using: &random),
                slice: .random(in: -1...100, using: &random),
                attempts: .random(in: 0...255, using: &random),
                cause: ParkCause.allCases.randomElement(using: &random) ?? .released,
                reason: reason(&random),
                notBeforeMicroseconds: .random(in: Int64.min...Int64.max, using: &random))
            batch.parks.append(park)
        }
        return batch
    }

    private static func records(seed: UInt64, count: Int, rowsMax: Int) -> [RecoveryRecord] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { _ in
            let outcomes = Int.random(in: 0...rowsMax, using: &random)
            let parks = Int.random(in: 0...rowsMax, using: &random)
            return RecoveryRecord(
                origin: origin, batch: batch(&random, outcomes: outcomes, parks: parks))
        }
    }

    private func expectSame(
        _ read: [RecoveryRecord], _ written: some Collection<RecoveryRecord>,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(read.count == written.count, sourceLocation: sourceLocation)
        for (read, written) in zip(read, written) where !isSame(read, written) {
            Issue.record("a record came back changed", sourceLocation: sourceLocation)
        }
    }

    private func isSame(_ one: RecoveryRecord, _ two: RecoveryRecord) -> Bool {
        one.origin == two.origin && one.batch.id == two.batch.id
            && one.batch.phase == two.batch.phase && one.batch.outcomes == two.batch.outcomes
            && one.batch.parks == two.batch.parks
            && one.batch.reasonTexts == two.batch.reasonTexts
            && one.batch.announcements == two.batch.announcements
    }

    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func whatIsWrittenComesBackInOrder(seed: UInt64) {
        let records = Self.records(seed: seed, count: Int(seed % 5), rowsMax: 40)
        let contents = RecoveryCodec.decode(records.flatMap { RecoveryCodec.encode($0) })
        expectSame(contents.records, records)
        #expect(contents.faults.isEmpty)
    }

    @Test func announcementsAndUnusedTextsAreLeftOut() {
        var batch = RecordBatch(phase: .send)
        batch.add(1...2, .rejected, slice: 0, reason: ReasonCode(rawValue: 1000))
        batch.announcements = [.slice(number: 0, through: 100)]
        batch.reasonTexts = [
            ReasonCode(rawValue: 1000): "Used", ReasonCode(rawValue: 1001): "Unused",
        ]
        let record = RecoveryRecord(origin: Self.origin, batch: batch)
        #expect(record.batch.announcements.isEmpty)
        #expect(record.batch.reasonTexts == [ReasonCode(rawValue: 1000): "Used"])
        #expect(record.batch.id == batch.id)
    }

    @Test func whereverTheFileIsCutTheRecordsBeforeAreUsedAndTheTearIsTold() {
        let records = Self.records(seed: 99, count: 4, rowsMax: 4)
        let frames = records.map { RecoveryCodec.encode($0) }
        let bytes = frames.flatMap { $0 }
        var ends = [0]
        for frame in frames { ends.append((ends.last ?? 0) + frame.count) }
        for length in 0...bytes.count {
            let contents = RecoveryCodec.decode(Array(bytes[..<length]))
            let whole = ends.lastIndex { $0 <= length } ?? 0
            expectSame(contents.records, records.prefix(whole))
            let torn = length - ends[whole]
            #expect(
                contents.faults
                    == (torn == 0
                        ? []
                        : [RecoveryFault(offset: ends[whole], byteCount: torn, cause: .damaged)]))
        }
    }

    @Test func everyChangedByteIsNoticedAndCostsOneRecord() {
        let records = Self.records(seed: 5, count: 3, rowsMax: 3)
        let bytes = records.flatMap { RecoveryCodec.encode($0) }
        var random = SeededGenerator(seed: 6)
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= .random(in: 1...255, using: &random)
            let contents = RecoveryCodec.decode(damaged)
            #expect(contents.records.count == 2, "byte \(index)")
            #expect(contents.faults.count == 1, "byte \(index)")
        }
    }

    @Test func whatIsAppendedToATornEndIsRead() {
        let records = Self.records(seed: 8, count: 3, rowsMax: 5)
        let frames = records.map { RecoveryCodec.encode($0) }
        let contents = RecoveryCodec.decode(frames[0] + frames[1].dropLast(5) + frames[2])
        expectSame(contents.records, [records[0], records[2]])
        #expect(
            contents.faults == [
                RecoveryFault(
                    offset: frames[0].count, byteCount: frames[1].count - 5, cause: .damaged)
            ])
    }

    @Test func anotherVersionIsToldApartFromDamage() {
        let record = Self.records(seed: 1, count: 1, rowsMax: 5)[0]
        var frame = RecoveryCodec.encode(record)
        frame[7] = 2
        let checksum = CRC32C.checksum([frame[7..<12], frame[16...]])
        for byte in 0..<4 { frame[12 + byte] = UInt8(truncatingIfNeeded: checksum >> (8 * byte)) }
        let contents = RecoveryCodec.decode(frame)
        #expect(contents.records.isEmpty)
        #expect(contents.faults.map(\.cause) == [.otherVersion])
        #expect(contents.faults.first?.description.contains("another version") == true)
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func noiseIsSkippedWithoutHarm(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var bytes = (0..<Int.random(in: 0...400, using: &random)).map { _ in
            UInt8.random(in: 0...255, using: &random)
        }
        // Markers in the noise, so that more than the first comparison is tried.
        for _ in 0..<3 where bytes.count > 20 {
            let at = Int.random(in: 0...(bytes.count - 8), using: &random)
            bytes.replaceSubrange(at..<(at + 8), with: Array("sortieR\u{1}".utf8))
        }
        let contents = RecoveryCodec.decode(bytes)
        #expect(contents.records.isEmpty)
        #expect(contents.faults.reduce(0) { $0 + $1.byteCount } == bytes.count)
    }

    /// The check value of the algorithm, and RFC 3720's example of 32 zeros.
    @Test func theChecksumIsCRC32C() {
        #expect(CRC32C.checksum([Array("123456789".utf8)[...]]) == 0xE306_9283)
        #expect(CRC32C.checksum([Array(repeating: 0, count: 32)[...]]) == 0x8A91_36AA)
    }

    @Test func aRunOfAnotherDatabaseIsNotTakenForTheSame() throws {
        try StoreFixture.with { fixture in
            let run = try fixture.open()
            #expect(RecoveryOrigin(run).matches(run))
            #expect(!Self.origin.matches(run))
        }
    }
}

/// Random numbers that can be had again: SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
