import Testing

@testable import CommandLineTool

@Suite struct ArgumentParserTests {
    private let parser = ArgumentParser(commands: [
        command(
            "send", operands: [.init(name: "FILE", summary: "a file")],
            options: [
                OptionDefinition("rate", .integer(placeholder: "N", 1...100), "pace", default: "5"),
                OptionDefinition("share", .number(placeholder: "S", 0...1), "share"),
                OptionDefinition("format", .choice(["table", "json"]), "form"),
                OptionDefinition("name", .text(placeholder: "TEXT"), "name"),
                OptionDefinition("quiet", .flag, "silence"),
                OptionDefinition("skip", .choice(["a", "b"]), "parts", isRepeatable: true),
            ]),
        command("stock add"), command("stock drop"),
        command(
            "read", operands: [.init(name: "FILE", summary: "files", isRepeated: true)]),
    ])

    private static func command(
        _ name: String, operands: [CommandDefinition.Operand] = [],
        options: [OptionDefinition] = []
    ) -> CommandDefinition {
        CommandDefinition(name, .other, "summary", operands: operands, options: options) { _, _ in
            .done
        }
    }

    @Test func readsOperandsAndOptionsInAnyOrder() throws {
        let parsed = try parser.parse(["send", "--rate", "7", "a.json", "--name=b c", "--quiet"])
        #expect(parsed.command.name == "send")
        #expect(parsed.operands == ["a.json"])
        #expect(parsed.integer("rate") == 7)
        #expect(parsed.text("name") == "b c")
        #expect(parsed.has("quiet"))
    }

    @Test func anOptionThatCollectsKeepsEveryValue() throws {
        let parsed = try parser.parse(["send", "x", "--skip", "b", "--skip=a"])
        #expect(parsed.texts("skip") == ["b", "a"])
        #expect(try parser.parse(["send", "x"]).texts("skip").isEmpty)
    }

    @Test func missingOptionsHaveTheirDefaults() throws {
        let parsed = try parser.parse(["send", "a"])
        #expect(parsed.integer("rate") == 5)
        #expect(parsed.number("share") == nil)
        #expect(!parsed.has("quiet"))
    }

    @Test func everythingAfterTwoDashesIsAnOperand() throws {
        #expect(try parser.parse(["send", "--", "--rate"]).operands == ["--rate"])
        #expect(try parser.parse(["send", "-"]).operands == ["-"])
    }

    @Test func commandsMayHaveTwoWords() throws {
        #expect(try parser.parse(["stock", "drop"]).command.name == "stock drop")
    }

    @Test func repeatedOperandsAreAllKept() throws {
        #expect(try parser.parse(["read", "a", "b", "c"]).operands == ["a", "b", "c"])
    }

    @Test(arguments: [["send", "--help"], ["send", "-h"], ["send", "a", "--bad", "--help"]])
    func helpWinsOverEverythingElse(words: [String]) throws {
        #expect(try parser.parse(words).wantsHelp)
    }

    @Test(arguments: [
        (["sned", "a"], "sortie: unknown command \"sned\"; did you mean \"send\"?"),
        ([], "sortie: a command is missing"),
        (["--rate"], "sortie: unknown option \"--rate\""),
        (["stock"], "sortie: \"stock\" needs one of these words after it: add, drop"),
        (["stock", "dorp"], "sortie: \"stock dorp\" is no command; did you mean \"drop\"?"),
        (["send"], "sortie send: FILE is missing"),
        (["send", "a", "b"], "sortie send: \"b\" is one argument too many"),
        (["send", ""], "sortie send: an argument is empty"),
        (
            ["send", "a", "--rtae", "5"],
            "sortie send: unknown option \"--rtae\"; did you mean \"--rate\"?"
        ),
        (["send", "a", "-q"], "sortie send: unknown option \"-q\""),
        (["send", "a", "--rate"], "sortie send: --rate needs a value: --rate N"),
        (["send", "a", "--rate", "--quiet"], "sortie send: --rate needs a value: --rate N"),
        (
            ["send", "a", "--rate="],
            "sortie send: --rate must be a whole number from 1 to 100, not \"\""
        ),
        (
            ["send", "a", "--rate", "0"],
            "sortie send: --rate must be a whole number from 1 to 100, not \"0\""
        ),
        (
            ["send", "a", "--rate", "101"],
            "sortie send: --rate must be a whole number from 1 to 100, not \"101\""
        ),
        (
            ["send", "a", "--share", "1.5"],
            "sortie send: --share must be a number from 0.0 to 1.0, not \"1.5\""
        ),
        (
            ["send", "a", "--share", "nan"],
            "sortie send: --share must be a number from 0.0 to 1.0, not \"nan\""
        ),
        (
            ["send", "a", "--format", "jsn"],
            "sortie send: --format must be table, json, not \"jsn\"; did you mean \"json\"?"
        ),
        (["send", "a", "--name", "b", "--name", "c"], "sortie send: --name is given twice"),
        (["send", "a", "--skip", "xyz"], "sortie send: --skip must be a, b, not \"xyz\""),
        (["send", "a", "--quiet=no"], "sortie send: --quiet takes no value"),
    ])
    func saysWhatIsWrong(words: [String], message: String) {
        let error = #expect(throws: UsageError.self) { try parser.parse(words) }
        #expect(error?.message == message)
        #expect(error?.hint.hasPrefix("See \"sortie ") == true)
    }

    @Test(arguments: ["1", "100"])
    func theEdgesOfARangeAreInside(number: String) throws {
        #expect(try parser.parse(["send", "a", "--rate", number]).integer("rate") == Int(number))
    }
}

@Suite struct NearestNameTests {
    @Test(arguments: [
        ("occurence", "occurrence"), ("formta", "format"), ("rep", "report"), ("xyz", nil),
        ("q", nil), ("chek", "check"),
    ])
    func suggestsOnlyWhatIsNear(word: String, name: String?) {
        let names = ["occurrence", "format", "report", "check"]
        #expect(NearestName.of(word, among: names) == (word == "rep" ? nil : name))
    }
}
