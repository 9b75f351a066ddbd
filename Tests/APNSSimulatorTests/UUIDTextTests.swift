import Testing

@testable import APNSSimulator

@Suite struct UUIDTextTests {
    private static func text(_ high: UInt64, _ low: UInt64) -> String {
        var bytes = [UInt8](repeating: 0, count: 36)
        UUIDText.write(high: high, low: low, into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func randomBitsBecomeAVersion4UUIDInUpperCase() {
        #expect(
            Self.text(0x0123_4567_89AB_CDEF, 0x0123_4567_89AB_CDEF)
                == "01234567-89AB-4DEF-8123-456789ABCDEF")
        #expect(Self.text(.max, .max) == "FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF")
        #expect(Self.text(0, 0) == "00000000-0000-4000-8000-000000000000")
    }

    @Test(arguments: 0...255 as ClosedRange<UInt8>, [0, 7, 8, 15, 16, 20])
    func everyByteIsTestedForAHexDigit(_ byte: UInt8, _ place: Int) {
        var text = [UInt8](repeating: UInt8(ascii: "f"), count: 21)
        text[place] = byte
        let isHex = HexDigits.areAll(text.span)
        let character = Character(UnicodeScalar(byte))
        #expect(isHex == (character.isASCII && character.isHexDigit))
    }

    @Test func whatIsWrittenIsValid() {
        let text = Array(Self.text(0x0123_4567_89AB_CDEF, 42).utf8)
        let isValid = UUIDText.isValid(text.span)
        #expect(isValid)
    }
}
