import Glibc
import LinuxIO
import LocalCluster
import PostgreSQL
import TestSupport
import Testing

@Suite(.enabled(if: TestCluster.isExpected))
struct LocalClusterTests {
    @Test func aClusterIsMadeStartedFoundAndStopped() throws {
        try withTemporaryDirectory { directory in
            // Deep enough that a socket in it would have too long a path.
            let deep = directory + String(repeating: "/a-rather-long-name", count: 6)
            let cluster = try LocalCluster(folder: deep, durability: .throwaway)
            #expect(cluster.status == .absent)
            #expect(try cluster.start())
            defer { _ = try? cluster.stop() }
            #expect(try !cluster.start())
            guard case .running(let pid) = cluster.status else {
                Issue.record("not running")
                return
            }
            #expect(pid > 0)
            let connection = try PGConnection(
                conninfo: cluster.conninfo, applicationName: "sortie test")
            let facts = try connection.execute(
                """
                SELECT current_database(), current_user, current_setting('server_encoding'),
                    current_setting('listen_addresses'), current_setting('fsync')
                """)
            #expect((0..<5).map { facts.text(0, $0) } == ["sortie", "sortie", "UTF8", "", "off"])
            try connection.executeScript("CREATE TABLE t (a int)", name: "create")
            #expect(try FileContents.modeBits(deep) == 0o700)

            #expect(try cluster.stop())
            #expect(try !cluster.stop())
            #expect(cluster.status == .stopped)
            try cluster.start()
            let again = try PGConnection(
                conninfo: cluster.conninfo, applicationName: "sortie test")
            #expect(try again.execute("SELECT count(*) FROM t").integer(0, 0) == 0)
        }
    }

    @Test func aFolderThatTheServersUserCanNotReachIsRefusedByName() throws {
        guard geteuid() == 0 else { return }
        try withTemporaryDirectory { directory in
            chmod(directory, 0o700)
            let cluster = try LocalCluster(folder: "\(directory)/db", durability: .throwaway)
            let error = #expect(throws: ClusterError.self) { try cluster.start() }
            #expect(error.map { "\($0)".contains("can not pass through \(directory)") } == true)
        }
    }
}
