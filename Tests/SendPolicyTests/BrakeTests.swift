import SendPolicy
import Testing

@Suite struct BrakeTests {
    private func brake(
        _ threshold: Double = 0.2, minimumSample: Int = 50
    ) throws -> Brake {
        Brake(
            name: .invalid, counted: "refused the token as bad",
            threshold: try #require(Share(threshold)), minimumSample: minimumSample)
    }

    private func isTripped(_ brake: Brake) -> Bool {
        if case .tripped = brake.state { return true }
        return false
    }

    /// Nothing but bad answers from the first on needs no whole sample; one good answer does.
    @Test(arguments: [
        (29, 0, false), (30, 0, true), (30, 1, false), (99, 1, false), (100, 1, true),
    ])
    func nothingButBadAnswersTripsEarly(bad: Int, good: Int, isTripped: Bool) throws {
        var brake = Brake(
            name: .invalid, counted: "refused the token", threshold: try #require(Share(0.2)),
            minimumSample: 101, openingSample: 30)
        brake.record(bad: 0, of: good)
        brake.record(bad: bad, of: bad)
        if case .tripped = brake.state {
            #expect(isTripped)
        } else {
            #expect(!isTripped)
        }
    }

    @Test func nothingIsDecidedBeforeTheMinimumSample() throws {
        var brake = try brake()
        #expect(brake.state == .undecided)
        for _ in 0..<49 { brake.record(bad: true) }
        #expect(brake.state == .undecided)
        brake.record(bad: true)
        #expect(isTripped(brake))
    }

    // One wrong bundle id or environment makes every answer bad, and tools wiped their token
    // tables: wultra/powerauth-push-server#180, parse-community/parse-server#6052.
    @Test(arguments: [(9, false), (10, false), (11, true), (50, true)])
    func moreThanTheShareTrips(_ bad: Int, _ expected: Bool) throws {
        var brake = try brake()
        for number in 0..<50 { brake.record(bad: number < bad) }
        #expect(isTripped(brake) == expected)
        #expect(brake.allowsMarking != expected)
        if !expected { #expect(brake.state == .holding) }
    }

    @Test func oneBadInAThousandHolds() throws {
        var brake = try brake()
        for number in 0..<1000 { brake.record(bad: number == 0) }
        #expect(brake.state == .holding)
        #expect(brake.allowsMarking)
    }

    @Test func aTrippedBrakeStaysTrippedWithItsFirstEvidence() throws {
        var brake = try brake()
        brake.record(bad: 24, of: 50)
        let tripped = brake.state
        brake.record(bad: 0, of: 1_000_000)
        #expect(brake.state == tripped)
        #expect(!brake.allowsMarking)
        #expect(brake.total == 1_000_050)
    }

    @Test func theEvidenceHasCountsAndPercentages() throws {
        var brake = try brake()
        brake.record(bad: 24, of: 50)
        guard case .tripped(let evidence) = brake.state else {
            Issue.record("The brake holds.")
            return
        }
        #expect(
            evidence.description
                == "24 of 50 answers (48 %) refused the token as bad; 20 % are allowed "
                + "(stop_if invalid).")
    }

    @Test func theEvidenceIsOneJSONObjectForTheJournal() throws {
        var brake = try brake()
        brake.record(bad: 24, of: 50)
        guard case .tripped(let evidence) = brake.state else {
            Issue.record("The brake holds.")
            return
        }
        #expect(
            evidence.json
                == #"{"name": "invalid", "bad": 24, "total": 50, "threshold": 0.2}"#)
    }

    @Test func everyBrakeNamesItsPlaceInTheCampaignFile() {
        #expect(
            BrakeName.allCases.map(\.setting) == [
                "stop_if invalid", "stop_if gone", "canary stop_if_rejected", "stop_if unknown",
                "stop_if errors",
            ])
    }

    @Test func inBulkOrOneByOneIsTheSame() throws {
        var (bulk, single) = (try brake(), try brake())
        bulk.record(bad: 10, of: 50)
        for number in 0..<50 { single.record(bad: number < 10) }
        #expect(bulk.state == single.state)
        #expect(bulk.bad == single.bad)
        #expect(bulk.total == single.total)
    }

    @Test(arguments: [
        (0, 0, true), (0, 5, true), (1, 5, true), (2, 5, false), (5, 5, false), (1, 1, false),
    ])
    func aSmallSampleIsJudgedByItsShareBeforeMarking(
        _ bad: Int, _ total: Int, _ allows: Bool
    ) throws {
        var brake = try brake()
        brake.record(bad: bad, of: total)
        #expect(brake.state == .undecided)
        #expect(brake.allowsMarking == allows)
    }

    @Test func aShareOfNothingTripsAtTheFirstAndOfAllNever() throws {
        var strict = try brake(0, minimumSample: 0)
        strict.record(bad: false)
        #expect(strict.state == .holding)
        strict.record(bad: true)
        #expect(isTripped(strict))
        var open = try brake(1, minimumSample: 1)
        open.record(bad: 1000, of: 1000)
        #expect(open.state == .holding)
    }
}
