import APNSProtocol
import Testing

@Suite struct DeviceTokenTextTests {
    private static let token = String(repeating: "c0ffee01", count: 8)
    private static let groups = Array(repeating: "c0ffee01", count: 8).joined(separator: " ")

    @Test(arguments: [token, token.uppercased(), "C0ffEE01" + String(repeating: "a", count: 56)])
    func aTokenBecomesLowerCaseAndCountsAsClean(_ raw: String) throws {
        let text = try DeviceTokenText.normalise(raw).get()
        #expect(text.token == raw.lowercased())
        #expect(!text.wasCleaned)
        #expect(!text.isUnusuallyShort)
    }

    // Tokens as they are found in the field: with the brackets and blanks of an old iOS
    // description (node-apn/node-apn#568, ostinelli/apnotic#66, KnuffApp/Knuff#3), in a padded
    // cell (knadh/listmonk#1070), with a no-break space (mdn/content#13094), with a spreadsheet's
    // guard (hhurz/tableExport.jquery.plugin#230, getagentseal/codeburn#22).
    @Test(arguments: [
        "<\(groups)>", groups, "  <\(groups)>\t", " \(token)   ", "\(token)\u{A0}",
        "\u{A0}\u{A0}\(token)", "\(token)\r\n", "\(token)\r", "'\(token)", "'\(token)'",
        "=\"\(token)\"", "\"\(token)\"", "\"=\"\(token)\"\"", "\u{FEFF}\(token)", " ' \(token) ' ",
        "<\(token.uppercased())>", "\(token.prefix(10))\u{A0}\(token.dropFirst(10))",
    ])
    func whatStandsAroundATokenIsRemovedAndCounted(_ raw: String) throws {
        let text = try DeviceTokenText.normalise(raw).get()
        #expect(text.token == Self.token)
        #expect(text.wasCleaned)
    }

    // Tokens of 160 digits are real, and fixed lengths refused them: ZhukV/AppleApnPush#80,
    // RobotsAndPencils/buford#13, Iterable/objc-sdk#22. Short and odd ones lack digits:
    // rpush/rpush#634.
    @Test(
        arguments: [
            (30, DeviceTokenFault.tooShort(30)), (31, .tooShort(31)), (32, nil),
            (33, .oddDigits(33)),
            (50, nil), (62, nil), (63, .oddDigits(63)), (64, nil), (65, .oddDigits(65)), (160, nil),
            (200, nil), (510, nil), (511, .oddDigits(511)), (512, nil), (513, .tooLong(513)),
            (514, .tooLong(514)), (1, .tooShort(1)),
        ] as [(Int, DeviceTokenFault?)])
    func aTokenMayHaveAnyEvenLengthWithinReason(_ digits: Int, _ fault: DeviceTokenFault?) {
        let raw = String(repeating: "a", count: digits)
        switch DeviceTokenText.normalise(raw) {
        case .success(let text):
            #expect(fault == nil)
            #expect(text.token == raw)
            #expect(text.isUnusuallyShort == (digits < 64))
        case .failure(let found): #expect(found == fault)
        }
    }

    // Other services' tokens stand in the same tables:
    // parse-community/parse-server-push-adapter#87,
    // wix/react-native-notifications#781, expo/expo#9550, customerio/customerio-expo-plugin#56.
    @Test(arguments: [
        ("ExponentPushToken[aaaaaaaaaaaaaaaaaaaaaa]", OtherPushService.expo),
        ("ExpoPushToken[aaaaaaaaaaaaaaaaaaaaaa]", .expo),
        (" 'ExponentPushToken[aaaaaaaaaaaaaaaaaaaaaa]", .expo),
        ("dXXXXxxxxxxxxxxxxxxxxx:APA91bXXXXxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", .firebase),
        ("https://push.example.com/send/abc", .webPush), (#"{"endpoint":"https://x"}"#, .webPush),
    ])
    func anotherServicesTokenIsNamed(_ raw: String, _ service: OtherPushService) {
        #expect(fault(raw) == .otherService(service))
    }

    // An invisible character has to be named, or nobody finds it: mdn/content#13094.
    @Test(
        arguments: [
            (token.prefix(60) + "\u{200B}" + token.suffix(4), Unicode.Scalar(0x200B)),
            (token.prefix(63) + "g", "g"), ("0x" + token, "x"), (token + ";ios", ";"),
            (token.prefix(10) + "\u{0}" + token.suffix(54), "\u{0}"), ("<<\(token)", "<"),
            (token + "é", "é"), (token.prefix(8) + "-" + token.dropFirst(8), "-"),
            ("🎈" + token, "🎈"), ("null", "n"), (token + "'", "'"),
        ] as [(String, Unicode.Scalar?)])
    func aForeignCharacterIsNamed(_ raw: String, _ scalar: Unicode.Scalar?) throws {
        #expect(fault(raw) == .foreignCharacter(try #require(scalar)))
    }

    @Test(arguments: ["", " ", "\t\r\n", "\u{A0}", "\u{FEFF}", "<>", "< >", "''", "\"\"", "=\"\""])
    func nothingIsEmpty(_ raw: String) {
        #expect(fault(raw) == .empty)
    }

    @Test func bytesThatAreNoTextAreRefused() {
        let bytes = [UInt8](Self.token.utf8.prefix(20)) + [0x92] + [UInt8](Self.token.utf8)
        let found = DeviceTokenText.normalise(bytes.span)
        #expect(found == .failure(.notText))
        let utf16: [UInt8] = [0xFF, 0xFE] + Self.token.utf8.flatMap { [$0, 0] }
        let foundInUTF16 = DeviceTokenText.normalise(utf16.span)
        #expect(foundInUTF16 == .failure(.notText))
    }

    @Test func aRefusedTokenLeavesTheBufferAsItWas() throws {
        var buffer = [UInt8]("row,".utf8)
        let bad = [UInt8]((Self.token.dropLast() + "x").utf8)
        #expect(throws: DeviceTokenFault.foreignCharacter("x")) {
            try DeviceTokenText.append(normalised: bad.span, to: &buffer)
        }
        #expect(buffer == [UInt8]("row,".utf8))
        let good = [UInt8]("<\(Self.token)>".utf8)
        let wasCleaned = try DeviceTokenText.append(normalised: good.span, to: &buffer)
        #expect(wasCleaned)
        #expect(buffer == [UInt8]("row,\(Self.token)".utf8))
    }

    @Test(arguments: [
        DeviceTokenFault.empty, .otherService(.expo), .foreignCharacter("\u{200B}"),
        .foreignCharacter("z"), .notText, .oddDigits(63), .tooShort(10), .tooLong(600),
    ])
    func aFaultIsASentenceWithoutTheToken(_ fault: DeviceTokenFault) {
        #expect(!fault.description.isEmpty)
        #expect(!fault.description.contains("c0ffee"))
    }

    @Test func aFaultNamesTheCharacterByItsNumber() {
        #expect(DeviceTokenFault.foreignCharacter("\u{200B}").description.contains("U+200B,"))
        #expect(DeviceTokenFault.foreignCharacter("z").description.contains("U+007A (z)"))
        #expect(DeviceTokenFault.foreignCharacter("\u{1F388}").description.contains("U+1F388,"))
    }

    @Test func anyBytesAreNormalisedOrRefused() {
        var generator = SeededGenerator(seed: 20262)
        let alphabet = [UInt8]("0aF<>'\"= \t".utf8) + [0xC2, 0xA0, 0xEF, 0xBB, 0xBF, 0xFF, 0]
        for _ in 0..<20_000 {
            let length = Int.random(in: 0..<80, using: &generator)
            let bytes = (0..<length).compactMap { _ in alphabet.randomElement(using: &generator) }
            guard case .success(let text) = DeviceTokenText.normalise(bytes.span) else { continue }
            #expect(text.token.utf8.count % 2 == 0)
            #expect(text.token.allSatisfy { "0a".contains($0) || $0 == "f" })
        }
    }

    private func fault(_ raw: String) -> DeviceTokenFault? {
        guard case .failure(let fault) = DeviceTokenText.normalise(raw) else { return nil }
        return fault
    }
}
