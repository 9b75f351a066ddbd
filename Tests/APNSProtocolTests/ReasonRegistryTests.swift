import APNSProtocol
import Testing

@Suite struct ReasonRegistryTests {
    @Test(arguments: ReasonTable.rows.map(\.wire))
    func aKnownReasonKeepsItsCodeAndText(_ wire: String) throws {
        var registry = ReasonRegistry()
        let code = registry.code(for: wire.utf8.span)
        #expect(code.isKnown)
        #expect(ReasonTable.row(code)?.wire == wire)
        #expect(registry.text(of: code) == wire)
    }

    // An unknown reason appears under its own name: dcai/airnotifier#116.
    @Test func anUnknownReasonIsKeptUnderItsOwnText() {
        var registry = ReasonRegistry()
        let first = registry.code(for: "BrandNewReason".utf8.span)
        let second = registry.code(for: "AnotherOne".utf8.span)
        #expect(first.rawValue == 1000)
        #expect(second.rawValue == 1001)
        let again = registry.code(for: "BrandNewReason".utf8.span)
        #expect(again == first)
        #expect(registry.text(of: first) == "BrandNewReason")
        #expect(registry.text(of: second) == "AnotherOne")
        #expect(!first.isKnown)
    }

    @Test func noReasonIsNone() {
        var registry = ReasonRegistry()
        let code = registry.code(for: "".utf8.span)
        #expect(code == .none)
        #expect(registry.text(of: .none) == "")
        #expect(!ReasonCode.none.isKnown)
    }

    @Test(arguments: [
        (255, ReasonCode(rawValue: 1254)), (256, ReasonCode(rawValue: 1255)),
        (257, ReasonCode.unlisted),
    ])
    func onlySoManyUnknownTextsAreKept(_ count: Int, _ last: ReasonCode) {
        var registry = ReasonRegistry()
        var code = ReasonCode.none
        for number in 1...count { code = registry.code(for: "Reason\(number)".utf8.span) }
        #expect(code == last)
        #expect(registry.text(of: code) != "")
        let first = registry.code(for: "Reason1".utf8.span)
        #expect(first.rawValue == 1000)
        let known = registry.code(for: "Unregistered".utf8.span)
        #expect(known.isKnown)
    }

    @Test(arguments: [(63, 63), (64, 64), (65, 64), (5000, 64)])
    func aLongTextIsCut(_ length: Int, _ kept: Int) {
        var registry = ReasonRegistry()
        let code = registry.code(for: String(repeating: "a", count: length).utf8.span)
        #expect(registry.text(of: code).utf8.count == kept)
    }

    @Test func aCodeOfAnotherRegistryHasNoText() {
        #expect(ReasonRegistry().text(of: ReasonCode(rawValue: 1000)) == "")
        #expect(ReasonRegistry().text(of: ReasonCode(rawValue: 500)) == "")
        #expect(ReasonRegistry().text(of: ReasonCode(rawValue: .max)) == "")
    }

    @Test func whatIsKeptCanBeStored() {
        var registry = ReasonRegistry()
        let code = registry.code(for: ([0x41, 0x00, 0x0A, 0xFF, 0x42] as [UInt8]).span)
        #expect(registry.text(of: code) == "A\u{FFFD}\u{FFFD}\u{FFFD}B")
    }
}
