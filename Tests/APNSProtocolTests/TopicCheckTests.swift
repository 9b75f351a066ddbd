import APNSProtocol
import Testing

@Suite struct TopicCheckTests {
    @Test(arguments: [
        "com.example.shop", "com.Example.Shop-2", "shop", "a.b", "0.1", "com.example.shop.voip",
        String(repeating: "a", count: 254), String(repeating: "a", count: 255),
    ])
    func aBundleIDIsTaken(_ topic: String) {
        #expect(TopicCheck.fault(in: topic) == nil)
    }

    // People copy the placeholder with its marks, or take the topic for free text:
    // node-apn/node-apn#568, mendix/docs#1537, appfeel/node-pushnotifications#97.
    @Test(arguments: [
        ("", TopicFault.empty), ("  ", .empty), ("<com.example.shop>", .angleBrackets),
        (" com.example.shop\n", .blanks), ("com.example .shop", .blanks),
        ("com.example.shop\u{A0}", .blanks), ("\"com.example.shop\"", .quotationMarks),
        ("'com.example.shop'", .quotationMarks), ("\u{201C}com.example\u{201D}", .quotationMarks),
        ("com.example.shöp", .foreignCharacter("ö")), ("com/example", .foreignCharacter("/")),
        ("com_example", .foreignCharacter("_")), ("com\u{0}example", .foreignCharacter("\u{0}")),
        ("com\u{200B}example", .foreignCharacter("\u{200B}")), (".com.example", .emptyPart),
        ("com.example.", .emptyPart), ("com..example", .emptyPart), (".", .emptyPart),
        (String(repeating: "a", count: 256), .tooLong(bytes: 256)),
    ])
    func anythingElseIsRefusedByName(_ topic: String, _ fault: TopicFault) {
        #expect(TopicCheck.fault(in: topic) == fault)
        #expect(!fault.description.isEmpty)
    }
}
