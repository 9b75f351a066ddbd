import CampaignModel
import Testing

@Suite struct PayloadPlanTests {
    @Test func aPayloadWithoutFieldsIsMadeOnce() throws {
        let plan = PayloadPlan(try campaign(message: "title: x"))
        #expect(plan.isConstant(translation: 0))
        #expect(plan.fields.isEmpty)
        let made = render(plan)
        #expect(made.result == .rendered(made.json.utf8.count))
        #expect(plan.constantPayload(translation: 0) == Array(made.json.utf8))
    }

    @Test func aPayloadWithFieldsIsMadeForEachRecipient() throws {
        let plan = PayloadPlan(
            try campaign(
                message: "title: \"{{ a }} and {{ b | you }}\", body: \"{{ a }}\", "
                    + "data: { u: [\"{{ user_id }}\"], l: \"{{ locale | ? }}\" }"))
        #expect(plan.fields == [.attribute("a"), .attribute("b"), .userID, .locale])
        #expect(!plan.isConstant(translation: 0))
        #expect(plan.constantPayload(translation: 0) == nil)
        #expect(
            render(plan, values: ["Ann", nil, "7", "hu"]).json
                == #"{"aps":{"alert":{"title":"Ann and you","body":"Ann"}},"u":["7"],"l":"hu"}"#)
    }

    @Test(arguments: [nil, ""] as [String?])
    func noValueIsReplacedOrSkipsTheRecipient(value: String?) throws {
        let plan = PayloadPlan(try campaign(message: "title: \"{{ a | b }}{{ c }}\""))
        #expect(render(plan, values: [value, "x"]).json == #"{"aps":{"alert":{"title":"bx"}}}"#)
        let skipped = render(plan, values: ["x", value])
        #expect(skipped.result == .missingValue(1))
        #expect(skipped.json.isEmpty)
    }

    @Test func anEmptySubstituteLeavesNothing() throws {
        let plan = PayloadPlan(try campaign(message: "title: \"Hi{{ a | }}!\""))
        #expect(render(plan, values: [nil]).json == #"{"aps":{"alert":{"title":"Hi!"}}}"#)
    }

    @Test(arguments: [
        #"", "aps": {"badge": 9}, "x": ""#, "\\", "\"", "\n\r\t\u{8}\u{C}\u{1}\u{1F}", "{{ b }}",
        "}}]", "é😀\u{2028}\u{7F}", "\\u0041", "null",
    ])
    func aValueCannotChangeTheStructure(value: String) throws {
        let plan = PayloadPlan(
            try campaign(message: "title: \"{{ a | \\\\\\\" }}\", data: { d: \"<{{ a }}>\" }"))
        let made = render(plan, values: [value])
        #expect(StrictJSON.rootKeys(made.json) == ["aps", "d"], "\(made.json)")
        let constant = try payload("title: x, data: { d: \(quoted("<" + value + ">")) }")
        #expect(data(of: made.json) == data(of: constant))
    }

    @Test func translationsFallBackFieldByField() throws {
        let plan = PayloadPlan(
            try campaign(
                message: "title: T, body: B, badge: 1, data: { url: u, keep: 1 }, "
                    + "translations: { hu: { title: TH, data: { url: uh, more: 2 } }, "
                    + "id: { body: \"{{ a }}\" } }"))
        let json = (0...2).map { render(plan, translation: $0, values: ["v"]).json }
        #expect(
            json == [
                #"{"aps":{"alert":{"title":"T","body":"B"},"badge":1},"url":"u","keep":1}"#,
                #"{"aps":{"alert":{"title":"TH","body":"B"},"badge":1},"url":"uh","keep":1,"#
                    + #""more":2}"#,
                #"{"aps":{"alert":{"title":"T","body":"v"},"badge":1},"url":"u","keep":1}"#,
            ])
        #expect((0...2).map { plan.isConstant(translation: $0) } == [true, true, false])
    }

    @Test func payloadsAreAppendedAndAFailedOneLeavesNoTrace() throws {
        let plan = PayloadPlan(try campaign(message: "title: \"{{ a }}\""))
        let row = Array("AnnBob".utf8)
        var output: [UInt8] = Array("#".utf8)
        let ranges: [[FieldRange]] = [
            [FieldRange(offset: 0, length: 3)], [.none], [FieldRange(offset: 3, length: 3)],
        ]
        for range in ranges {
            _ = plan.render(translation: 0, row: row.span, values: range.span, into: &output)
        }
        #expect(
            String(decoding: output, as: UTF8.self)
                == ##"#{"aps":{"alert":{"title":"Ann"}}}{"aps":{"alert":{"title":"Bob"}}}"##)
    }

    @Test(arguments: [31, 32, 33])
    func theNumberOfFieldsHasALimit(count: Int) {
        let title = (0..<count).map { "{{ f\($0) }}" }.joined()
        #expect(errors(campaignText(message: "title: \"\(title)\"")).isEmpty == (count <= 32))
    }

    @Test func bytesMinCountsNeitherValuesNorSubstitutes() throws {
        let plan = PayloadPlan(try campaign(message: "title: \"{{ a | long text }}\""))
        #expect(plan.bytesMin(translation: 0) == #"{"aps":{"alert":{"title":""}}}"#.utf8.count)
    }

    /// A payload from its data on.
    private func data(of json: String) -> Substring {
        json.firstRange(of: "\"d\":").map { json[$0.lowerBound...] } ?? ""
    }

    /// A text in double quotes as a file would have it.
    private func quoted(_ text: String) -> String {
        let body = text.unicodeScalars.map { character in
            character.value < 0x20 || character == "\"" || character == "\\"
                ? "\\x" + (character.value < 16 ? "0" : "") + String(character.value, radix: 16)
                : String(character)
        }
        return "\"" + body.joined().replacing("{{", with: "{{{{") + "\""
    }
}
