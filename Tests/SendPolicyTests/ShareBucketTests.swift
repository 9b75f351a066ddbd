import SendPolicy
import Testing

@Suite struct ShareBucketTests {
    private static let second: Int64 = 1_000_000_000
    private static let seeds: [UInt64] = (1...40).map { $0 * 104_729 }

    private func bucket(_ thousandths: Int64?, at now: Int64 = 0) -> ShareBucket {
        var bucket = ShareBucket()
        bucket.change(toThousandths: thousandths, nowNanoseconds: now)
        return bucket
    }

    /// The moments at which someone takes who waits for each token, until a time.
    private func greedy(_ bucket: inout ShareBucket, from start: Int64, until end: Int64) -> [Int64]
    {
        var moments: [Int64] = []
        var now = start
        while let next = bucket.nextNanoseconds(nowNanoseconds: now), next < end {
            now = next
            let isTaken = bucket.take(nowNanoseconds: now)
            #expect(isTaken)
            moments.append(now)
        }
        return moments
    }

    /// The most moments in any half-open window that begins with one of them.
    private func most(_ moments: [Int64], within window: Int64) -> Int {
        var most = 0
        var first = 0
        for (index, moment) in moments.enumerated() {
            while moments[first] <= moment - window { first += 1 }
            most = max(most, index - first + 1)
        }
        return most
    }

    @Test func withoutAShareEverythingGoes() {
        var bucket = ShareBucket()
        for now in [Int64(0), 5, 3] {
            let isTaken = bucket.take(nowNanoseconds: now)
            #expect(isTaken)
            #expect(bucket.nextNanoseconds(nowNanoseconds: now) == now)
        }
    }

    @Test func aShareOfNothingLetsNothingGo() {
        var bucket = bucket(0)
        for now in [Int64(0), 1, 1_000_000 * Self.second] {
            let isTaken = bucket.take(nowNanoseconds: now)
            #expect(!isTaken)
            #expect(bucket.nextNanoseconds(nowNanoseconds: now) == nil)
        }
    }

    /// Also with requests that leave up to 10 ms late: a second on the wire is 1.01 s here.
    @Test(arguments: [1, 2, 3, 10, 99, 100, 101, 199, 200, 201, 999, 1_500, 20_000, 100_000])
    func noSecondHoldsMoreThanTheShare(_ perSecond: Int64) {
        var bucket = bucket(perSecond * 1000)
        // After a pause it is full, which is when a second may hold most.
        let moments = greedy(&bucket, from: 100 * Self.second, until: 103 * Self.second)
        #expect(most(moments, within: Self.second) <= perSecond)
        #expect(most(moments, within: Self.second / 100 * 101) <= perSecond)
    }

    @Test(arguments: [1, 2, 3, 10, 99, 100, 199, 200, 1_500, 20_000, 100_000])
    func aShareIsUsedButForAFewInAHundred(_ perSecond: Int64) {
        var bucket = bucket(perSecond * 1000)
        let count = greedy(&bucket, from: 0, until: 60 * Self.second).count
        #expect(Int64(count) >= perSecond * 60 * 97 / 100 - 1)
    }

    @Test func theLargestShareIsUsable() {
        var bucket = bucket(ShareBucket.thousandthsMax + 1)
        #expect(bucket.thousandthsPerSecond == ShareBucket.thousandthsMax)
        let count = greedy(&bucket, from: 0, until: Self.second / 10).count
        #expect((95_000...110_000).contains(count))
    }

    @Test(arguments: [1, 10, 500, 999])
    func belowOneASecondRequestsKeepTheirDistance(_ thousandths: Int64) {
        var bucket = bucket(thousandths)
        let period = 1000 * Self.second / thousandths
        let moments = greedy(&bucket, from: 0, until: 20 * period)
        #expect(moments.count >= 19)
        #expect(most(moments, within: period) == 1)
    }

    @Test(arguments: [1_999, 1_000])
    func onlyTheWholePartOfAShareCounts(_ thousandths: Int64) {
        var bucket = bucket(thousandths)
        let moments = greedy(&bucket, from: 0, until: 30 * Self.second)
        #expect(most(moments, within: Self.second) == 1)
    }

    @Test(arguments: [50, 199])
    func smallSharesAreSpacedEvenly(_ perSecond: Int64) {
        var bucket = bucket(perSecond * 1000)
        let moments = greedy(&bucket, from: 10 * Self.second, until: 20 * Self.second)
        let gaps = zip(moments.dropFirst(), moments).map { $0 - $1 }
        let ideal = Self.second * 101 / 100 / perSecond
        #expect(gaps.allSatisfy { abs($0 - ideal) <= 1 })
    }

    @Test func aNewLimitBeginsEmpty() {
        var bucket = ShareBucket()
        _ = bucket.take(nowNanoseconds: 7 * Self.second)
        bucket.change(toThousandths: 1_000_000, nowNanoseconds: 7 * Self.second)
        let isTaken = bucket.take(nowNanoseconds: 7 * Self.second)
        #expect(!isTaken)
    }

    @Test func settingTheSameShareAgainLosesNothing() {
        var bucket = bucket(500)
        var taken = 0
        for step in Int64(0)..<400 {
            let now = step * Self.second / 10
            bucket.change(toThousandths: 500, nowNanoseconds: now)
            if bucket.take(nowNanoseconds: now) { taken += 1 }
        }
        #expect(taken == 19)
    }

    /// A worker's share wavers with every heartbeat; parts of a token must not get lost each time.
    @Test func changesTooFrequentForOneTokenStillLetOneGo() {
        var bucket = bucket(100)
        var taken = 0
        for step in Int64(1)...1000 {
            let now = step * Self.second
            bucket.change(toThousandths: step % 2 == 0 ? 100 : 101, nowNanoseconds: now)
            if bucket.take(nowNanoseconds: now) { taken += 1 }
        }
        #expect((90...100).contains(taken))
    }

    @Test func raisingFromNothingBringsNoBurst() {
        var bucket = bucket(10_000_000)
        _ = bucket.take(nowNanoseconds: 5 * Self.second)
        bucket.change(toThousandths: 0, nowNanoseconds: 6 * Self.second)
        bucket.change(toThousandths: 10_000_000, nowNanoseconds: 600 * Self.second)
        let isTaken = bucket.take(nowNanoseconds: 600 * Self.second)
        #expect(!isTaken)
    }

    /// Whatever the share does, a window of one second holds no more than the largest share in
    /// force in it, and one with an unchanged share no more than that.
    @Test(arguments: seeds)
    func noWindowHoldsMoreThanTheShareWhateverItsChanges(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let scale = Int64(1) << Int64.random(in: 1...12, using: &generator)
        var bucket = ShareBucket()
        var now: Int64 = 0
        var moments: [Int64] = []
        var changes: [(at: Int64, share: Int64)] = []
        func change() {
            let isNothing = Int.random(in: 0..<6, using: &generator) == 0
            let share = isNothing ? 0 : Int64.random(in: 1...scale, using: &generator)
            bucket.change(toThousandths: share * 1000, nowNanoseconds: now)
            changes.append((now, share))
        }
        change()
        while changes.count < 60 {
            // Sometimes a change comes within a second of the last, sometimes much later.
            let length = Int64.random(in: 1...(4 * Self.second), using: &generator)
            let end = now + length
            while let next = bucket.nextNanoseconds(nowNanoseconds: now), next < end {
                let isLate = Int.random(in: 0..<20, using: &generator) == 0
                let late = isLate ? Int64.random(in: 0...Self.second, using: &generator) : 0
                now = min(end - 1, next + late)
                while bucket.take(nowNanoseconds: now) {
                    moments.append(now)
                }
            }
            now = end
            change()
        }
        expectWithinShares(moments, changes, "seed \(seed)")
    }

    private func expectWithinShares(
        _ moments: [Int64], _ changes: [(at: Int64, share: Int64)], _ note: Comment
    ) {
        var first = 0
        var firstChange = 0
        for (index, moment) in moments.enumerated() {
            while moments[first] <= moment - Self.second { first += 1 }
            // The window begins with the request `first`; the share in force then, or any later.
            while firstChange + 1 < changes.count, changes[firstChange + 1].at <= moments[first] {
                firstChange += 1
            }
            let inForce = changes[firstChange...].prefix { $0.at <= moment }
            let allowed = inForce.map(\.share).max() ?? 0
            if index - first + 1 > allowed {
                Issue.record("\(index - first + 1) requests, \(allowed) allowed; \(note)")
                return
            }
        }
        #expect(moments.count > 30, note)
    }
}
