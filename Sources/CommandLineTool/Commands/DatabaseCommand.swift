internal import CampaignStore
internal import LocalCluster

/// `sortie database ...`: the tables, and the private cluster.
enum DatabaseCommand {
    static let migrate = CommandDefinition(
        "database migrate", .database, "create or update sortie's tables and views",
        options: [SharedOptions.config, SharedOptions.quiet],
        discussion: "Safe to repeat, and safe to start twice at once."
    ) { arguments, console in
        let configuration = try ConfigurationFile(arguments, console: console)
        let isQuiet = arguments.has("quiet")
        let access = try DatabaseAccess(configuration, console: console, isQuiet: isQuiet)
        let applied = try access.migrate()
        if !isQuiet {
            console.output(
                applied.isEmpty
                    ? "The tables are up to date.\n"
                    : applied.map { "Applied \($0).\n" }.joined())
        }
        return .done
    }

    static let start = CommandDefinition(
        "database start", .database, "start the private cluster and create its tables",
        options: [SharedOptions.quiet],
        discussion: """
            The private cluster is used when no database is configured: PostgreSQL in a folder of
            its own, reached by a socket in that folder only. Other commands start it when they
            need it. SORTIE_HOME names another folder.
            """
    ) { arguments, console in
        let cluster = try privateCluster()
        try DatabaseAccess.makeParent(of: cluster.folder)
        try cluster.start()
        _ = try DatabaseAccess(cluster).migrate()
        if !arguments.has("quiet") {
            console.output("Running in \(cluster.folder).\n\(connectAdvice(cluster.conninfo))\n")
        }
        return .done
    }

    static let stop = CommandDefinition(
        "database stop", .database, "stop the private cluster", options: [SharedOptions.quiet]
    ) { arguments, console in
        let cluster = try privateCluster()
        let wasRunning = try cluster.stop()
        if !arguments.has("quiet") {
            let text = wasRunning ? "Stopped the private cluster" : "No private cluster is running"
            console.output("\(text) in \(cluster.folder).\n")
        }
        return .done
    }

    static let status = CommandDefinition(
        "database status", .database, "say which database is used and how to connect",
        options: [SharedOptions.config],
        discussion: "Starts nothing."
    ) { arguments, console in
        let choice = DatabaseAccess.choice(try ConfigurationFile(arguments, console: console))
        console.output(try describe(choice))
        return .done
    }

    private static func privateCluster() throws(ClusterError) -> LocalCluster {
        try LocalCluster(folder: DatabaseAccess.clusterFolder)
    }

    /// The connection string itself is not shown where it may hold a password.
    private static func describe(_ choice: DatabaseChoice) throws(ClusterError) -> String {
        switch choice {
        case .configured(_, let file):
            return "The database that \(file) names.\n"
        case .environment(let variable):
            return "The database that \(variable) and the other PG variables name.\n"
                + "Connect: psql\n"
        case .privateCluster(let folder):
            let cluster = try privateCluster()
            return switch cluster.status {
            case .absent: "The private cluster in \(folder); it will be made when it is needed.\n"
            case .stopped: "The private cluster in \(folder); it is stopped.\n"
            case .running(let pid):
                "The private cluster in \(folder); it runs as process \(pid).\n"
                    + "\(connectAdvice(cluster.conninfo))\n"
            }
        }
    }

    /// The command line that opens the private database.
    static func connectAdvice(_ conninfo: String) -> String { "Connect: psql \"\(conninfo)\"" }
}
