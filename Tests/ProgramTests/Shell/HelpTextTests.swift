import Testing

@testable import CommandLineTool

@Suite struct HelpTextTests {
    @Test func everyLineFitsATerminal() {
        let texts =
            CommandTable.commands.map(HelpText.command)
            + [HelpText.program(CommandTable.commands), HelpText.exitCodes()]
        for line in texts.flatMap({ $0.split(separator: "\n") }) {
            #expect(line.count < 80, "line: \(line)")
        }
    }

    @Test func theProgramsHelpNamesEveryCommand() {
        let text = HelpText.program(CommandTable.commands)
        for command in CommandTable.commands { #expect(text.contains("\n  \(command.name)")) }
    }

    @Test func everyExampleIsACommandThatParses() throws {
        let parser = ArgumentParser(commands: CommandTable.commands)
        for command in CommandTable.commands {
            for example in command.examples {
                let words = example.split(separator: ">")[0].split(separator: " ").map(String.init)
                #expect(words.first == "sortie")
                _ = try parser.parse(Array(words.dropFirst()))
            }
        }
    }

    @Test func everyDefaultIsAValueThatTheOptionTakes() {
        for option in CommandTable.commands.flatMap(\.options) {
            guard let value = option.defaultValue else { continue }
            #expect(option.fault(in: value) == nil, "--\(option.name)")
        }
    }

    @Test func noCommandHidesAnother() {
        let names = CommandTable.commands.map(\.name)
        for name in names {
            #expect(names.filter { $0 == name || $0.hasPrefix("\(name) ") } == [name])
        }
    }

    @Test func wrapsAtBlanksOnly() {
        #expect(HelpText.wrap("aa bb\n cc", width: 5) == ["aa bb", "cc"])
        #expect(HelpText.wrap("aaaaaaa b", width: 5) == ["aaaaaaa", "b"])
        #expect(HelpText.wrap("", width: 5) == [])
    }
}
