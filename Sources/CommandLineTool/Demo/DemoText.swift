/// What the demo says at its end.
enum DemoText {
    /// How the program was called, so that the commands can be copied.
    private static var program: String { CommandLine.arguments.first ?? "sortie" }

    static var next: String {
        """
        Everything that was started is stopped and removed. What to try next:
          \(program) demo --keep        # the same, to look around in afterwards
          \(program) help               # all commands
          \(program) simulator          # then follow README.md: a first campaign
        """
    }

    static func kept(folder: String, conninfo: String, simulatorProcess: Int32) -> String {
        """
        Database and simulator are still running. What to try next:
          psql "\(conninfo)" -c 'SELECT * FROM report.run_summary'
          export SORTIE_CONFIG=\(folder)/sortie.json
          \(program) report --view reasons
          \(program) run \(folder)/\(DemoCampaign.fileName) --occurrence again
        To stop both and remove everything:
          kill \(simulatorProcess); SORTIE_HOME=\(folder) \(program) database stop; rm -r \(folder)
        """
    }
}
