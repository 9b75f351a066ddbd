import CampaignModel
import SendPolicy
import Testing

@testable import CampaignRunner

@Suite struct MemoryBudgetTests {
    private func budget(
        _ rate: Rate = .unlimited, connections: Int = 4, maxInFlight: Int = 500,
        payloads: Int = 1, isPersonal: Bool = false
    ) -> MemoryBudget {
        MemoryBudget(
            rate: rate, connections: connections, maxInFlight: maxInFlight, payloads: payloads,
            isPersonal: isPersonal)
    }

    @Test func theSumIsThatOfItsParts() {
        let budget = budget()
        #expect(budget.bytes == budget.parts.reduce(0) { $0 + $1.count * $1.bytesEach })
        #expect(budget.parts.count == 10)
    }

    @Test func thePlainCaseStaysUnder64MiB() {
        #expect(budget().bytes < 64 << 20)
        #expect(budget(payloads: 6, isPersonal: false).bytes < 64 << 20)
    }

    @Test func aSlowRateReadsLessAhead() throws {
        let ahead = try [100, 1_500].map { perSecond in
            let parts = budget(.wholePerSecond(perSecond)).parts
            return try #require(parts.first { $0.name == "recipients read and not announced" })
        }
        #expect(ahead[0].bytes < ahead[1].bytes)
    }

    @Test func aTunedWindowCountsAsItIsTuned() throws {
        var tuning = RunTuning()
        tuning.windowMax = 1_000
        let parts = try [RunTuning(), tuning].map { tuning in
            let budget = MemoryBudget(
                rate: .unlimited, connections: 4, maxInFlight: 500, payloads: 1,
                isPersonal: false, tuning: tuning)
            return try #require(
                budget.parts.first { $0.name == "recipients announced and not recorded" })
        }
        #expect(parts[0].count - parts[1].count == RunTuning().windowMax - 1_000)
    }

    @Test(arguments: [1, 2, 64])
    func eachConnectionHasItsBuffersAndRequests(connections: Int) throws {
        let budget = budget(connections: connections, maxInFlight: 10)
        let buffers = try #require(budget.parts.first { $0.name == "connections to APNs" })
        let requests = try #require(budget.parts.first { $0.name == "requests on the wire" })
        #expect(buffers.bytes == connections * MemoryBudget.connectionBytes)
        #expect(requests.bytes == connections * 10 * MemoryBudget.requestBytes)
    }

    @Test func aPersonalPayloadCountsForEachRecipientAndASharedOneForEachBatch() throws {
        let personal = budget(isPersonal: true)
        #expect(!personal.parts.contains { $0.name == "payloads that a batch shares" })
        let announced = "recipients announced and not recorded"
        let own = try #require(personal.parts.first { $0.name == announced })
        let shared = try #require(budget().parts.first { $0.name == announced })
        #expect(own.bytesEach == shared.bytesEach + 4_096)
    }

    @Test func theTextNamesThePartsAndTheSum() {
        let lines = budget().text.split(separator: "\n")
        #expect(lines.first == "Memory in MiB, at most:")
        #expect(lines.count == budget().parts.count + 2)
        #expect(lines.last?.hasSuffix("  in all") == true)
        #expect(lines.contains { $0.hasSuffix("requests on the wire (2000 of 3328 bytes)") })
    }
}
