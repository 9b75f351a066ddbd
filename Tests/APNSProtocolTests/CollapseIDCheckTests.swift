import APNSProtocol
import Testing

@Suite struct CollapseIDCheckTests {
    // Apple's limit is in bytes, and a library counted characters: nmshd/backbone#1042,
    // valentinfrlch/ha-llmvision#545.
    @Test(
        arguments: [
            ("", CollapseIDFault.empty), ("a", nil), (String(repeating: "a", count: 63), nil),
            (String(repeating: "a", count: 64), nil),
            (String(repeating: "a", count: 65), .tooLong(bytes: 65)),
            (String(repeating: "é", count: 32), nil),
            (String(repeating: "é", count: 33), .tooLong(bytes: 66)), ("sale 2026", nil),
            ("sale\n", .unfitForHeader), ("sa\tle", .unfitForHeader), (" sale", .unfitForHeader),
            ("sale ", .unfitForHeader), ("sa\u{7F}le", .unfitForHeader),
        ] as [(String, CollapseIDFault?)])
    func theLimitIsInBytes(_ text: String, _ fault: CollapseIDFault?) {
        #expect(CollapseIDCheck.fault(in: text) == fault)
        if let fault { #expect(!fault.description.isEmpty) }
    }
}
