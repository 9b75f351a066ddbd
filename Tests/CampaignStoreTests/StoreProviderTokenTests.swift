import APNSProtocol
@testable import CampaignStore
import LinuxIO
import PostgreSQL
import TestSupport
import Testing

private let minute: Int64 = 60 * 1_000_000_000

@Suite(.enabled(if: TestCluster.isExpected))
struct StoreProviderTokenTests {
    /// Asks as a process of `boot` would, with a token that names its maker.
    private func ask(
        _ store: Store, held: ProviderToken? = nil, isRefused: Bool = false,
        digest: String = "d", boot: String = "here", now: Int64 = 0, name: String = "a"
    ) throws -> ProviderToken? {
        try store.providerToken(
            ProviderTokenQuestion(
                identity: ProviderIdentity(keyID: "K1K1K1K1K1", teamID: "T2T2T2T2T2"),
                keyDigest: digest, held: held, isRefused: isRefused, bootID: boot,
                monotonicNanoseconds: { now }
            ) { (iat) throws(StoreError) -> [UInt8] in Array("h.\(iat).\(name)".utf8) })
    }

    private func age(_ fixture: StoreFixture, minutes: Int) throws {
        try fixture.store.connection.execute(
            "UPDATE sortie.provider_token SET issued_at = issued_at - $1 * interval '1 minute'",
            [.integer(Int64(minutes))])
    }

    /// pigeon#226, Pr0Ger/PyAPNs2#76: a token per worker brings TooManyProviderTokenUpdates.
    @Test func eightProcessesAtOnceGetOneToken() throws {
        try StoreFixture.with { fixture in
            let tokens = Monitor<Set<[UInt8]>>([])
            let conninfo = fixture.conninfo
            let threads = try (1...8).map { number in
                try WorkerThread.start(name: "ask-\(number)") {
                    do {
                        let store = try Store(conninfo: conninfo, purpose: "test")
                        for _ in 1...5 {
                            let token = try self.ask(store, name: "n\(number)")
                            tokens.withLock { _ = $0.insert(token?.jwt ?? []) }
                        }
                    } catch {
                        Issue.record(error)
                    }
                }
            }
            threads.forEach { $0.join() }
            #expect(tokens.withLock(\.count) == 1)
            #expect(try fixture.value("SELECT count(*) FROM sortie.provider_token") == "1")
        }
    }

    @Test func theTokenIsDatedByTheDatabasesClock() throws {
        try StoreFixture.with { fixture in
            let token = try #require(try ask(fixture.store, now: 77))
            #expect(token.issuedAtNanoseconds == 77)
            #expect(
                try fixture.value(
                    "SELECT abs(extract(epoch FROM now()) - iat) < 5 "
                        + "AND abs(extract(epoch FROM issued_at) - iat) < 2 "
                        + "FROM sortie.provider_token") == "t")
            #expect(
                abs(try fixture.store.clockMicroseconds() / 1_000_000 - token.issuedAtSeconds) < 5)
        }
    }

    /// AndrewBarba/apns2#44: a restart within 20 minutes, here or elsewhere, uses the same token.
    @Test(arguments: [(44, true), (46, false)])
    func anotherMachineUsesTheTokenUntilItIsDue(minutes: Int, isKept: Bool) throws {
        try StoreFixture.with { fixture in
            let first = try #require(try ask(fixture.store, name: "a"))
            try age(fixture, minutes: minutes)
            let now: Int64 = 1_000 * minute
            let next = try #require(try ask(fixture.store, boot: "there", now: now, name: "b"))
            #expect((next.jwt == first.jwt) == isKept)
            let age = now - next.issuedAtNanoseconds
            let expected = isKept ? Int64(minutes) * minute : 0
            #expect(abs(age - expected) < minute)
        }
    }

    /// Finb/bark-server#76, jaylfc/taOS#2801: the database's clock is set, forwards or back. Who
    /// knows the token by a clock that nobody sets is not deceived.
    @Test(arguments: [-300, -21, 21, 300])
    func aSteppedClockNeitherRenewsNorKeeps(minutes: Int) throws {
        try StoreFixture.with { fixture in
            let first = try #require(try ask(fixture.store, now: 0, name: "a"))
            try age(fixture, minutes: minutes)
            let restarted = try #require(try ask(fixture.store, now: 10 * minute, name: "b"))
            #expect(restarted.jwt == first.jwt)
            #expect(restarted.issuedAtNanoseconds == 0)
            let elsewhere = ProviderToken(
                jwt: first.jwt, issuedAtSeconds: 1, issuedAtNanoseconds: 0)
            let held = try ask(
                fixture.store, held: elsewhere, boot: "there", now: 44 * minute, name: "c")
            #expect(held?.jwt == first.jwt)
            let due = try ask(
                fixture.store, held: elsewhere, boot: "there", now: 45 * minute, name: "d")
            #expect(due?.jwt != first.jwt)
        }
    }

    @Test func aRefusedTokenIsReplacedOnceForAllProcesses() throws {
        try StoreFixture.with { fixture in
            let first = try #require(try ask(fixture.store, name: "a"))
            let second = try #require(
                try ask(fixture.store, held: first, isRefused: true, name: "b"))
            #expect(second.jwt != first.jwt)
            // A process that was refused with the old one gets the new one.
            let late = try ask(
                fixture.store, held: first, isRefused: true, boot: "there", name: "c")
            #expect(late?.jwt == second.jwt)
            // The new one is refused as well: a clock is wrong, and no third one helps.
            #expect(
                try ask(
                    fixture.store, held: second, isRefused: true, now: 20 * minute - 1, name: "d")
                    == nil)
            let third = try ask(
                fixture.store, held: second, isRefused: true, now: 20 * minute, name: "e")
            #expect(third?.jwt != second.jwt)
        }
    }

    /// A wrong key file under the right ids must not spoil the token of the right one.
    @Test func anotherKeyUnderTheSameIdsHasATokenOfItsOwn() throws {
        try StoreFixture.with { fixture in
            let wrong = try ask(fixture.store, digest: "wrong", name: "w")
            let right = try ask(fixture.store, digest: "right", name: "r")
            #expect(wrong?.jwt != right?.jwt)
            #expect(try ask(fixture.store, digest: "wrong", name: "x")?.jwt == wrong?.jwt)
        }
    }

    @Test func anEmptiedTableGetsTheTokenInUseBack() throws {
        try StoreFixture.with { fixture in
            let first = try #require(try ask(fixture.store, name: "a"))
            try fixture.store.connection.execute("DELETE FROM sortie.provider_token")
            let again = try ask(fixture.store, held: first, now: 5 * minute, name: "b")
            #expect(again?.jwt == first.jwt)
            let other = try #require(
                try ask(fixture.store, boot: "there", now: 9 * minute, name: "c"))
            #expect(other.jwt == first.jwt)
            #expect(abs(9 * minute - other.issuedAtNanoseconds - 5 * minute) < minute)
        }
    }

    @Test func onlyTheOwnerSeesTokensWhateverIsGranted() throws {
        try StoreFixture.with { fixture in
            _ = try ask(fixture.store)
            let role = "reader_\(UInt32.random(in: 0...UInt32.max))"
            try fixture.store.connection.executeScript(
                """
                CREATE ROLE \(role);
                GRANT USAGE ON SCHEMA sortie TO \(role);
                GRANT ALL ON ALL TABLES IN SCHEMA sortie TO \(role);
                SET ROLE \(role);
                """, name: "test")
            #expect(try fixture.value("SELECT count(*) FROM sortie.provider_token") == "0")
            let error = #expect(throws: StoreError.self) { _ = try ask(fixture.store) }
            guard case .schemaMismatch(let text)? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(text.contains("owner"))
            #expect(!text.contains("h."))
            try fixture.store.connection.executeScript(
                "RESET ROLE; DROP OWNED BY \(role); DROP ROLE \(role)", name: "test")
        }
    }
}
