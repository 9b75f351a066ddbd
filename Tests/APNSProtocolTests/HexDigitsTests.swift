import Testing

@testable import APNSProtocol

@Suite struct HexDigitsTests {
    /// Every byte in every place, beside digits of all kinds.
    @Test func everyByteInEveryPlaceIsADigitOrNot() {
        for place in 0..<8 {
            for byte in UInt8.min...UInt8.max {
                var text = [UInt8]("09afAF5c".utf8)
                text[place] = byte
                let expected = ASCII.hexValue(byte) != nil
                #expect((read(text) != nil) == expected, "byte \(byte) at \(place)")
            }
        }
    }

    @Test(arguments: ["00000000", "ffffffff", "01234567", "89abcdef", "FEDCBA98", "80000001"])
    func theNumberIsTheOneWritten(_ text: String) {
        #expect(read([UInt8](text.utf8))?.number == UInt64(text, radix: 16))
    }

    @Test func theLowerCaseIsThatOfTheText() {
        let digits = read([UInt8]("09AFaf5C".utf8))
        let lower = [UInt8]("09afaf5c".utf8)
        #expect(digits?.lowerCase == read(lower)?.lowerCase)
        #expect(digits?.lowerCase == lower.reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }

    private func read(_ text: [UInt8]) -> HexDigits? { HexDigits(in: text.span, at: 0) }
}
