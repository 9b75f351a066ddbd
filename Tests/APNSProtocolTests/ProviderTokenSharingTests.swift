import APNSProtocol
import Testing

private let minute: Int64 = 60 * 1_000_000_000

@Suite struct ProviderTokenSharingTests {
    @Test(
        arguments: [
            // A token that nobody refused is used until it is due.
            (0, false, false, .use), (45 * minute - 1, false, true, .use),
            (45 * minute, false, false, .make), (45 * minute + 1, false, true, .make),
            (nil, false, false, .use),
            // A refused one is replaced, unless it was a replacement itself a short time ago.
            (0, true, false, .make), (nil, true, true, .make), (0, true, true, .giveUp),
            (20 * minute - 1, true, true, .giveUp), (20 * minute, true, true, .make),
            (20 * minute + 1, true, true, .make),
        ] as [(Int64?, Bool, Bool, ProviderTokenStep)])
    func ageAndRefusalDecide(
        age: Int64?, isRefused: Bool, isAfterRefusal: Bool, step: ProviderTokenStep
    ) {
        #expect(
            ProviderTokenSharing.step(
                ageNanoseconds: age, isRefused: isRefused, isAfterRefusal: isAfterRefusal) == step)
    }

    @Test(
        arguments: [
            (1, 2, 3, 1), (nil, 2, 3, 2), (nil, nil, 3, 3), (nil, nil, -1, nil), (nil, 2, -1, 2),
            (-1, 2, 3, nil),
        ] as [(Int64?, Int64?, Int64, Int64?)])
    func theClockThatNobodySetsIsBelieved(held: Int64?, boot: Int64?, database: Int64, age: Int64?)
    {
        #expect(
            ProviderTokenClocks(
                heldNanoseconds: held, bootNanoseconds: boot, databaseNanoseconds: database
            ).ageNanoseconds == age)
    }

    /// AndrewBarba/apns2#44, pigeon#226: many processes, restarts and stepped clocks, and yet
    /// never two tokens within 20 minutes, nor one that is used for an hour.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func restartsAndSteppedClocksNeverMakeTwoWithinTwentyMinutes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var world = World()
        for _ in 0..<20_000 {
            world.now += Int64.random(in: 0...minute, using: &random)
            let index = Int.random(in: world.held.indices, using: &random)
            switch Int.random(in: 0..<50, using: &random) {
            case 0: world.held[index] = nil
            case 1: world.clockOffset = Int64.random(in: -300...300, using: &random) * minute
            default: world.ask(index)
            }
        }
        let pauses = zip(world.made.dropFirst(), world.made).map { $0 - $1 }
        #expect(pauses.allSatisfy { $0 >= 20 * minute }, "seed \(seed)")
        // Each process asks once in five minutes or so; the database's rule is 45.
        #expect(pauses.allSatisfy { $0 <= 60 * minute }, "seed \(seed)")
        #expect(world.made.count > 100)
    }

    /// Five processes of one machine and the place where they keep their token, all in real time
    /// that only the test knows; the database's clock is off by what it was set to.
    private struct World {
        var now: Int64 = 0
        var clockOffset: Int64 = 0
        var made: [Int64] = []
        /// When each process's token was made, as far as the process knows.
        var held: [Int64?] = Array(repeating: nil, count: 5)
        private var databaseIssued: Int64 = 0

        mutating func ask(_ index: Int) {
            guard let last = made.last else { return make(index) }
            let clocks = ProviderTokenClocks(
                heldNanoseconds: held[index] == last ? now - last : nil,
                bootNanoseconds: now - last,
                databaseNanoseconds: now + clockOffset - databaseIssued)
            let step = ProviderTokenSharing.step(
                ageNanoseconds: clocks.ageNanoseconds, isRefused: false, isAfterRefusal: false)
            if step == .make { make(index) } else { held[index] = last }
        }

        private mutating func make(_ index: Int) {
            made.append(now)
            held[index] = now
            databaseIssued = now + clockOffset
        }
    }
}
