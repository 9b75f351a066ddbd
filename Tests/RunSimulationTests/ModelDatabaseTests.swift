import APNSProtocol
import CampaignModel
import CampaignStore
import PostgreSQL
@testable import RunSimulation
import TestSupport
import Testing

/// The model means what the statements mean: both get the same calls, in an order of chance.
@Suite(.enabled(if: TestCluster.isExpected)) struct ModelDatabaseTests {
    @Test(arguments: UInt64(1)...12)
    func modelAndPostgreSQLAnswerAlike(seed: UInt64) throws {
        try TestCluster.withDatabase(template: ("migrated", Self.migrate)) { conninfo in
            let both = try TwoDatabases(conninfo: conninfo, devices: 11)
            var caller = RandomCaller(both, seed: seed)
            for step in 0..<150 {
                let (call, answers) = try caller.step()
                #expect(answers.store == answers.model, "step \(step): \(call)")
                let (store, model) = (try both.rowsOfStore(), both.rowsOfModel())
                #expect(store == model, "step \(step): \(call)")
                if answers.store != answers.model || store != model { return }
            }
        }
    }

    @Sendable private static func migrate(_ conninfo: String) throws {
        try Store(conninfo: conninfo, purpose: "migrate").migrate()
    }
}
