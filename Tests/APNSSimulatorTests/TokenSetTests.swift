import Testing

@testable import APNSSimulator

@Suite struct TokenSetTests {
    @Test func tokensThatComeAgainAreCountedOnce() {
        var set = TokenSet(countMax: 100)
        for hash: UInt64 in [2, 4, 6, 4, 4, 6] { set.insert(hash) }
        #expect(set.count == 3)
        #expect(set.repeatedCount == 2)
        #expect(set.untrackedCount == 0)
    }

    @Test func growsAndKeepsWhatItKnows() {
        var set = TokenSet(countMax: 1 << 20)
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = RandomStream(seed: seed)
        var hashes: Set<UInt64> = []
        while hashes.count < 50_000 { hashes.insert(random.next() | 1) }
        for hash in hashes { set.insert(hash) }
        #expect(set.count == 50_000, "seed \(seed)")
        #expect(set.repeatedCount == 0, "seed \(seed)")
        for hash in hashes { set.insert(hash) }
        #expect(set.count == 50_000, "seed \(seed)")
        #expect(set.repeatedCount == 50_000, "seed \(seed)")
    }

    @Test func fullSetSaysSo() {
        var set = TokenSet(countMax: 2)
        for hash: UInt64 in [2, 4, 6, 2, 6] { set.insert(hash) }
        #expect(set.count == 2)
        #expect(set.repeatedCount == 1)
        #expect(set.untrackedCount == 2)
    }

    @Test func zeroIsAHashLikeAnyOther() {
        var set = TokenSet(countMax: 10)
        set.insert(0)
        #expect(set.count == 1)
        set.insert(0)
        #expect(set.repeatedCount == 1)
    }
}
