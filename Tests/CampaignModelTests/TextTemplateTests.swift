import CampaignModel
import Testing

@Suite struct TextTemplateTests {
    @Test(
        arguments: [
            ("plain", [.literal("plain")]),
            ("{{ name }}", [.field(.attribute("name"), fallback: nil)]),
            ("{{name}}", [.field(.attribute("name"), fallback: nil)]),
            ("{{ \n\tname \t}}", [.field(.attribute("name"), fallback: nil)]),
            (
                "Hi {{ first_name | there }}!",
                [
                    .literal("Hi "), .field(.attribute("first_name"), fallback: "there"),
                    .literal("!"),
                ]
            ),
            ("{{ a|b c | d }}", [.field(.attribute("a"), fallback: "b c | d")]),
            ("{{ a | }}", [.field(.attribute("a"), fallback: "")]),
            (
                "{{user_id}}{{locale}}",
                [.field(.userID, fallback: nil), .field(.locale, fallback: nil)]
            ),
            ("{{{{ name }}", [.literal("{{ name }}")]),
            ("a {{{{b}} {{ c }}", [.literal("a {{b}} "), .field(.attribute("c"), fallback: nil)]),
            ("{ a } }} {", [.literal("{ a } }} {")]),
            ("{{ a-b_C9 }}", [.field(.attribute("a-b_C9"), fallback: nil)]),
            ("{{ a | it's \"so\" }}", [.field(.attribute("a"), fallback: "it's \"so\"")]),
        ] as [(String, [TextTemplate.Segment])])
    func aTextIsCutAtItsFields(source: String, segments: [TextTemplate.Segment]) throws {
        let template = try TextTemplate(parsing: source)
        #expect(template.segments == segments)
        #expect(template.source == source)
        let isConstant = segments.count == 1 && segments.first == .literal(source)
        #expect(template.isConstant == (isConstant || source == "{{{{ name }}"))
    }

    @Test(arguments: [
        ("Hello {{ name", 1, 7, "{{ is not closed"),
        ("{{ a {{ b }}", 1, 1, "{{ is not closed"),
        ("é\nab {{", 2, 4, "{{ is not closed"),
        ("{{ }}", 1, 1, "there is no name"),
        ("{{}}", 1, 1, "there is no name"),
        ("x {{ | y }}", 1, 3, "there is no name"),
        ("{{ first name }}", 1, 9, "not \" \" (U+0020)"),
        ("{{ naïve }}", 1, 6, "(U+00EF)"),
        ("{{ a.b }}", 1, 5, "not \".\""),
        ("{{\u{A0}a }}", 1, 3, "U+00A0"),
        ("{{{ a }}", 1, 3, "not \"{\""),
        ("{{ a | \"there\" }}", 1, 8, "needs no quotes"),
        ("{{ a | 'there' }}", 1, 8, "needs no quotes"),
        ("{{ a | default: there }}", 1, 8, "write the text itself"),
    ])
    func aFaultIsToldWithItsCharacter(source: String, line: Int, column: Int, piece: String) {
        let fault = #expect(throws: TemplateFault.self) {
            try TextTemplate(parsing: source)
        }
        #expect(fault?.line == line && fault?.column == column, "\(fault as Any)")
        #expect(fault?.message.contains(piece) == true, "\(fault as Any)")
    }

    @Test(arguments: [
        ("x {{ }}", "(character 3 of the text)"), ("x\n{{ }}", "(line 2, character 1 of the text)"),
    ])
    func theDescriptionSaysTheLineOnlyWhereThereAreSeveral(source: String, place: String) {
        let fault = #expect(throws: TemplateFault.self) {
            try TextTemplate(parsing: source)
        }
        #expect(fault?.description.hasSuffix(place) == true)
    }

    @Test(arguments: [62, 63, 64])
    func aNameHasAtMost63Characters(count: Int) {
        let source = "{{" + String(repeating: "n", count: count) + "}}"
        #expect(((try? TextTemplate(parsing: source)) != nil) == (count <= 63))
    }
}
