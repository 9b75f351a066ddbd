import HeaderCompression
import Testing

@Suite struct RequestPathReaderTests {
    private static let path = "/3/device/" + String(repeating: "0123456789abcdef", count: 4)

    private func path(_ block: [UInt8]) -> String {
        var path = Array("what was there".utf8)
        RequestPathReader().read(block.span, into: &path)
        return String(decoding: path, as: UTF8.self)
    }

    /// The first block brings everything as literals, later ones are mostly indexed.
    @Test func thePathOfEveryBlockOfAConnectionIsFound() {
        var pair = Pair()
        var generator = SystemRandomNumberGenerator()
        for number in 0..<500 {
            let length = number % 200
            let digits = (0..<length).map { _ in
                String(Int.random(in: 0..<16, using: &generator), radix: 16)
            }
            let text = "/3/device/" + digits.joined()
            #expect(path(pair.encode(Array(text.utf8))) == text)
        }
    }

    @Test func aPathWithoutTheCodeIsFound() {
        // A size update, an indexed field, a literal with a name of its own, one that is indexed
        // from now on, the path with a name from the static table.
        let block: [UInt8] =
            [0x3F, 0xE1, 0x1F, 0x83, 0x00, 1, 0x61, 1, 0x62, 0x40, 1, 0x63, 1, 0x64]
            + [0x44, UInt8(Self.path.utf8.count)] + Array(Self.path.utf8)
        #expect(path(block) == Self.path)
    }

    @Test(
        arguments: [
            [],
            // Only indexed fields.
            [0x83, 0x87, 0x84],
            // A name without a value; a value that is longer than the block.
            [0x04], [0x04, 0x05, 0x2F],
            // An integer that does not end, and one beyond all bounds.
            [0x7F, 0xFF], [0x04, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            // A symbol with a long code: 0x7F takes 28 bits.
            [0x04, 0x84, 0xFF, 0xFF, 0xFC, 0xFF],
        ] as [[UInt8]])
    func aBlockWithoutAReadablePathHasNone(block: [UInt8]) {
        #expect(path(block) == "")
    }

    @Test func noBytesMakeItReadBeyondThem() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...40, using: &generator)
            let block = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(path(block).utf8.count <= 8 * 40)
        }
    }
}
