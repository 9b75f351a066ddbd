import Testing

@testable import CommandLineTool

@Suite struct DatabaseChoiceTests {
    @Test func theConfigurationWinsOverTheEnvironment() {
        let choice = DatabaseChoice.of(
            configured: ("postgresql:///a", "sortie.json"), environment: { _ in "x" },
            clusterFolder: "/c")
        #expect(choice == .configured(connection: "postgresql:///a", file: "sortie.json"))
    }

    @Test(arguments: DatabaseChoice.variables)
    func anyVariableThatNamesADatabaseIsUsed(variable: String) {
        let choice = DatabaseChoice.of(
            configured: nil, environment: { $0 == variable ? "x" : nil }, clusterFolder: "/c")
        #expect(choice == .environment(variable: variable))
    }

    @Test func aPasswordAloneNamesNoDatabase() {
        let choice = DatabaseChoice.of(
            configured: nil, environment: { $0 == "PGPASSWORD" ? "x" : nil }, clusterFolder: "/c")
        #expect(choice == .privateCluster(folder: "/c"))
    }

    @Test(arguments: [
        (["SORTIE_HOME": "/s", "HOME": "/h"], true, "/s/cluster"),
        (["HOME": "/h"], true, "/var/lib/sortie/cluster"),
        (["XDG_STATE_HOME": "/x", "HOME": "/h"], false, "/x/sortie/cluster"),
        (["HOME": "/h"], false, "/h/.local/state/sortie/cluster"),
        (["USER": "ann"], false, "/tmp/sortie-ann/.local/state/sortie/cluster"),
    ])
    func thePrivateClusterHasItsPlace(
        environment: [String: String], isRoot: Bool, folder: String
    ) {
        let found = DatabaseChoice.clusterFolder(
            environment: { environment[$0] }, isRoot: isRoot)
        #expect(found == folder)
    }
}
