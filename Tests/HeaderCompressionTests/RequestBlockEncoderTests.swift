import HeaderCompression
import Testing

/// Blocks of requests, decoded by nghttp2.
@Suite struct RequestBlockEncoderTests {
    private static let path = "/3/device/" + String(repeating: "0123456789abcdef", count: 4)

    /// Encodes, decodes and compares; answers the block's length.
    @discardableResult
    private func exchange(_ pair: inout Pair, _ path: [UInt8]) throws -> Int {
        let block = pair.encode(path)
        let decoded = try pair.inflater.decode(block)
        #expect(decoded == pair.expected(path))
        #expect(block.count <= pair.encoder.blockBytesMax(pathCount: path.count))
        return block.count
    }

    @discardableResult
    private func exchange(_ pair: inout Pair) throws -> Int {
        try exchange(&pair, Array(Self.path.utf8))
    }

    @Test func everyConstantFieldCostsOneByteFromTheSecondBlockOn() throws {
        var pair = Pair()
        let first = try exchange(&pair)
        // Nine constants, the path's name and length, 74 symbols of 5 or 6 bits.
        let later = 9 + 2 + 53
        #expect(first > later + 200)
        for _ in 0..<5 {
            let length = try exchange(&pair)
            #expect(length == later)
        }
        #expect(pair.inflater.tableEntries == 7)
    }

    @Test func aSteadyBlockHasTheseBytes() {
        var pair = Pair(authorization: "bearer a")
        _ = pair.encode("/")
        let block = pair.encode("/x")
        #expect(
            block == [
                0x83, 0x87, 0xC4, 0x04, 0x02, 0x2F, 0x78, 0xC3, 0xC2, 0xC1, 0xC0, 0xBF, 0xBE,
            ])
    }

    @Test func withoutATokenThereIsNoAuthorization() throws {
        var pair = Pair(authorization: nil)
        try exchange(&pair)
        let later = try exchange(&pair)
        #expect(later == 8 + 2 + 53)
    }

    @Test func aRenewedTokenIsInsertedAndIndexedAfterThat() throws {
        var pair = Pair()
        try exchange(&pair)
        let before = try exchange(&pair)
        // So often that old tokens push the other fields out again and again.
        for number in 0..<200 {
            let token = "bearer \(number)\(String(repeating: "Zm9v", count: 45))"
            pair.use(trailing: Pair.trailing(authorization: token))
            let first = try exchange(&pair)
            #expect(first >= before + 100)
            try exchange(&pair)
            try exchange(&pair)
            let later = try exchange(&pair)
            #expect(later == before)
        }
    }

    @Test func oneByteMoreOrLessInTheTableIsSeen() throws {
        // `authorization` takes up 13 + 107 + 32 bytes.
        let token = "bearer " + String(repeating: "x", count: 100)
        for (size, isIndexed) in [(151, false), (152, true), (153, true)] {
            var pair = Pair(authorization: token)
            pair.use(trailing: [Pair.field("authorization", token)])
            pair.limitTable(toBytes: size)
            try exchange(&pair)
            let later = try exchange(&pair)
            #expect((later < 100) == isIndexed)
        }
    }

    @Test func aTableOfNothingWorks() throws {
        var pair = Pair()
        pair.limitTable(toBytes: 0)
        let first = try exchange(&pair)
        let later = try exchange(&pair)
        #expect(first == later + 1)
        #expect(pair.inflater.tableEntries == 0)
    }

    @Test func aTableThatIsEmptiedAndFilledAgainIsUsedAgain() throws {
        var pair = Pair()
        try exchange(&pair)
        let before = try exchange(&pair)
        pair.limitTable(toBytes: 0)
        try exchange(&pair)
        pair.limitTable(toBytes: 4096)
        try exchange(&pair)
        let after = try exchange(&pair)
        #expect(after == before)
    }

    /// RFC 7541, section 4.2: the smallest size of an interval is told before the last one.
    @Test func aTableThatFellAndRoseBetweenTwoBlocksIsToldTwice() throws {
        var pair = Pair()
        try exchange(&pair)
        pair.limitTable(toBytes: 100)
        pair.limitTable(toBytes: 50)
        pair.limitTable(toBytes: 4096)
        let block = pair.encode(Self.path)
        #expect(Array(block.prefix(6)) == [0x3F, 0x13, 0x3F, 0xE1, 0x1F, 0x83])
        let decoded = try pair.inflater.decode(block)
        #expect(decoded == pair.expected(Array(Self.path.utf8)))
    }

    @Test func aLargerTableIsNotUsedAndNotTold() throws {
        var pair = Pair()
        try exchange(&pair)
        let before = try exchange(&pair)
        pair.limitTable(toBytes: 65_536)
        let after = try exchange(&pair)
        #expect(after == before)
    }

    @Test(arguments: 0...255)
    func anyByteMayStandInAPath(_ byte: UInt8) throws {
        var pair = Pair()
        for count in [1, 2, 3, 9, 70] {
            try exchange(&pair, Array(repeating: byte, count: count))
        }
    }

    @Test(arguments: [0, 1, 125, 126, 127, 128, 129, 160, 168, 169, 170, 254, 255, 256, 4000])
    func aPathMayHaveAnyLength(_ count: Int) throws {
        var pair = Pair()
        for byte in [UInt8(ascii: "a"), UInt8(ascii: "f"), UInt8(ascii: "X"), 0xFF] {
            try exchange(&pair, Array(repeating: byte, count: count))
        }
    }

    @Test func aFieldThatIsNeverIndexedStaysOutOfTheTable() throws {
        var pair = Pair(authorization: nil)
        let secret = BlockField(
            name: Array("authorization".utf8), value: Array("bearer s".utf8), isNeverIndexed: true)
        pair.use(trailing: Pair.trailing(authorization: nil) + [secret])
        for _ in 0..<3 { try exchange(&pair) }
        #expect(pair.inflater.tableEntries == 6)
    }

    // MARK: - Properties

    /// Whatever comes in whatever order, the peer sees the right fields, and as soon as nothing has
    /// changed for a few blocks no block inserts anything.
    @Test(arguments: (1...200).map { UInt64($0) * 15_485_863 })
    func thePeerSeesTheRightFieldsWhateverHappens(_ seed: UInt64) throws {
        var generator = SplitMix(state: seed)
        var pair = Pair()
        var quiet = 0
        var last = 0
        for _ in 0..<300 {
            switch Int.random(in: 0..<20, using: &generator) {
            case 0:
                pair.use(trailing: Self.randomFields(&generator))
                quiet = 0
            case 1:
                for _ in 0..<Int.random(in: 1...3, using: &generator) {
                    pair.limitTable(toBytes: Self.randomSize(&generator))
                }
                quiet = 0
            default: break
            }
            let path = (0..<74).map { _ in
                "0123456789abcdef".utf8.randomElement(using: &generator) ?? 0x30
            }
            let block = pair.encode(path)
            let decoded = try pair.inflater.decode(block)
            guard decoded == pair.expected(path) else {
                Issue.record("the peer sees other fields; seed \(seed)")
                return
            }
            quiet += 1
            let entries = pair.inflater.tableEntries
            if quiet > 12 { #expect(entries == last, "seed \(seed)") }
            last = entries
        }
    }

    private static func randomSize(_ generator: inout SplitMix) -> Int {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: 0
        case 1: 4096
        case 2: Int.random(in: 0...600, using: &generator)
        default: Int.random(in: 0...20_000, using: &generator)
        }
    }

    private static func randomFields(_ generator: inout SplitMix) -> [BlockField] {
        let token = String(
            repeating: "t", count: Int.random(in: 1...400, using: &generator))
        var fields = Pair.trailing(
            authorization: Bool.random(using: &generator) ? "bearer \(token)" : nil)
        // Two fields alike, and one with the name of another, as nothing forbids.
        if Bool.random(using: &generator), let copy = fields.randomElement(using: &generator) {
            fields.append(copy)
            fields.append(BlockField(name: copy.name, value: Array("other".utf8)))
        }
        if Bool.random(using: &generator) {
            fields.append(
                BlockField(
                    name: Array("x-secret".utf8), value: Array(token.utf8), isNeverIndexed: true))
        }
        return fields.shuffled(using: &generator)
    }
}

/// Random numbers that can be had again.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
