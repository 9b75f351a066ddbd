internal import APNSProtocol
internal import CampaignStore

/// `sortie devices import`: adds and refreshes devices from a CSV file.
enum DevicesImportCommand {
    static let definition = CommandDefinition(
        "devices import", .devices, "add and refresh devices from a CSV file",
        operands: [.init(name: "FILE", summary: "a CSV file with a header line; - is stdin")],
        options: [
            OptionDefinition(
                "app", .text(placeholder: "BUNDLE-ID"), "the app, if the file has no such column"),
            OptionDefinition(
                "environment", .choice(APNSEnvironment.allCases.map(\.rawValue)),
                "the environment, if the file has no such column"),
            SharedOptions.config, SharedOptions.json, SharedOptions.quiet,
        ],
        discussion: """
            The column "token" is needed; user_id, device_key, locale, time_zone, os_version,
            model, app_version, registered_at, app and environment are known. Every other column
            becomes an attribute that audiences and texts can use. A row that is wrong is refused
            and named; the others go in. A token that is there already is refreshed, and one that
            was registered again after APNs called it dead is active again.
            """,
        examples: [
            "sortie devices import shop.csv --app com.example.shop --environment sandbox"
        ],
        action: run)

    private static func run(_ arguments: ParsedArguments, _ console: Console) throws -> ExitCode {
        let configuration = try ConfigurationFile(arguments, console: console)
        let isQuiet = arguments.has("quiet")
        let database = try DatabaseAccess(configuration, console: console, isQuiet: isQuiet)
        let file = arguments.operands[0]
        let summary = try DevicesImport(
            file: file,
            defaults: DeviceDefaults(
                app: arguments.text("app"),
                environment: arguments.text("environment").flatMap(APNSEnvironment.init))
        ).carryOut(try database.open("import"))
        let report = ImportReport(file: file, summary: summary)
        if arguments.has("json") {
            console.output(report.json.lines)
        } else if !isQuiet {
            console.output(report.text)
        }
        if let refusals = report.refusals { console.message(refusals) }
        // A file of which nothing could be used must not look like success.
        return summary.rejected == summary.rowsRead ? .badFile : .done
    }
}
