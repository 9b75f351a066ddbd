internal import CampaignModel
internal import CampaignStore
internal import LinuxIO
internal import LocalCluster
internal import PostgreSQL

/// The database of a command, ready to be connected to.
struct DatabaseAccess {
    let choice: DatabaseChoice
    /// A libpq connection string; empty stands for the `PG*` variables.
    let connection: String

    /// Chooses the database, and starts the private cluster if that is the choice.
    ///
    /// - Parameters:
    ///   - file: the configuration.
    ///   - console: where it is said that the private cluster is used.
    ///   - isQuiet: whether that is left unsaid.
    /// - Throws: what the cluster says when it can't be started.
    init(_ file: ConfigurationFile, console: Console, isQuiet: Bool = false) throws {
        choice = Self.choice(file)
        switch choice {
        case .configured(let connection, _):
            self.connection = connection
        case .environment:
            connection = ""
        case .privateCluster(let folder):
            connection = try Self.startCluster(folder, console, isQuiet: isQuiet)
        }
    }

    /// A private cluster that runs.
    init(_ cluster: LocalCluster) {
        choice = .privateCluster(folder: cluster.folder)
        connection = cluster.conninfo
    }

    /// Creates or updates the tables.
    ///
    /// - Returns: the names of the migrations applied now.
    /// - Throws: `StoreError` when the server or its schema does not allow it.
    func migrate() throws(StoreError) -> [String] {
        try Store(conninfo: connection, purpose: "migrate").migrate()
    }

    /// The choice alone: nothing is started.
    static func choice(_ file: ConfigurationFile) -> DatabaseChoice {
        DatabaseChoice.of(
            configured: file.configuration.database.map { ($0, file.name ?? "") },
            environment: Environment.value, clusterFolder: clusterFolder)
    }

    /// Makes the folder above the cluster's. If root does, the server's user must pass through it.
    static func makeParent(of folder: String) throws(SystemError) {
        let parts = folder.split(separator: "/").dropLast()
        let mode: UInt32 = ProcessFacts.userID == 0 ? 0o755 : 0o700
        try FileContents.makeDirectory("/" + parts.joined(separator: "/"), mode: mode)
    }

    /// Where the private cluster is, or would be.
    static var clusterFolder: String {
        let folder = DatabaseChoice.clusterFolder(
            environment: Environment.value, isRoot: ProcessFacts.userID == 0)
        return Environment.absolute(folder)
    }

    /// Makes sure that the server can be reached and the tables are there, as `open` does.
    ///
    /// - Throws: `StoreError` when the server or the tables are missing.
    func prepare() throws(StoreError) {
        _ = try open("check")
    }

    /// Connects, and makes sure that the tables are there: in the private cluster they are created,
    /// elsewhere that is somebody's decision.
    ///
    /// - Parameter purpose: what the connection is for, as the server shows it.
    /// - Returns: a connection of one's own.
    /// - Throws: `StoreError` when the server or the tables are missing.
    func open(_ purpose: String) throws(StoreError) -> Store {
        let store = try Store(conninfo: connection, purpose: purpose)
        if case .privateCluster = choice {
            try store.migrate()
        } else {
            try store.requireCurrentSchema()
        }
        return store
    }

    private static func startCluster(
        _ folder: String, _ console: Console, isQuiet: Bool
    ) throws -> String {
        let cluster = try LocalCluster(folder: folder)
        try makeParent(of: folder)
        let isStarted = try cluster.start()
        if !isQuiet {
            console.message(
                "No database is configured: using the private one in \(folder)"
                    + (isStarted ? ", started now." : "."))
        }
        return cluster.conninfo
    }
}
