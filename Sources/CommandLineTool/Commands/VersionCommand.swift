/// `sortie version`.
enum VersionCommand {
    static let definition = CommandDefinition("version", .other, "print the version") {
        _, console in
        console.output("sortie \(Version.text)\n")
        return .done
    }
}
