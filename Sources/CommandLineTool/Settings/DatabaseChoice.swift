/// Which database a command works on, and why that one.
enum DatabaseChoice: Equatable, Sendable {
    /// The one that `sortie.json` names.
    case configured(connection: String, file: String)
    /// The one that libpq's environment variables name.
    case environment(variable: String)
    /// The private cluster in the folder.
    case privateCluster(folder: String)

    /// Variables that name a server or a database. `PGPASSWORD` and its like alone name none.
    static let variables = [
        "PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGSERVICE", "PGSERVICEFILE", "PGUSER",
    ]

    /// Chooses: the configuration, then the environment, then the private cluster.
    ///
    /// - Parameters:
    ///   - configured: the configuration's connection string and the file it stands in.
    ///   - environment: looks a variable up.
    ///   - clusterFolder: the folder of the private cluster.
    /// - Returns: the choice; nothing is connected to or started yet.
    static func of(
        configured: (connection: String, file: String)?, environment: (String) -> String?,
        clusterFolder: String
    ) -> DatabaseChoice {
        if let configured {
            return .configured(connection: configured.connection, file: configured.file)
        }
        if let variable = variables.first(where: { environment($0) != nil }) {
            return .environment(variable: variable)
        }
        return .privateCluster(folder: clusterFolder)
    }

    /// The folder of the private cluster, as an absolute path if the environment's paths are.
    static func clusterFolder(environment: (String) -> String?, isRoot: Bool) -> String {
        StateFolder.usual(environment: environment, isRoot: isRoot) + "/cluster"
    }
}
