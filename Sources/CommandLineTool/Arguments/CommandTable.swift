/// Every command of the program, in the order in which help shows them within their chapter.
enum CommandTable {
    static let commands: [CommandDefinition] = [
        CheckCommand.definition, RunCommand.definition, RunCommand.probe,
        WorkCommand.definition, StopRunCommand.pause, ResumeCommand.definition,
        StopRunCommand.cancel, RehearseCommand.definition,
        StatusCommand.definition, ReportCommand.definition,
        DevicesImportCommand.definition,
        DatabaseCommand.migrate, DatabaseCommand.start, DatabaseCommand.stop,
        DatabaseCommand.status,
        DemoCommand.definition, SimulatorCommand.definition,
        VersionCommand.definition, HelpCommand.definition,
    ]
}
