import LinuxIO
import Testing

@testable import APNSClient

/// SplitMix64: the same numbers again from the same seed.
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

@Suite struct AddressChoiceTests {
    private static func address(_ host: String) throws -> SocketAddress {
        try #require(try SocketAddress.resolve(host: host, port: 443).first)
    }

    private static func addresses(_ hosts: String...) throws -> [SocketAddress] {
        try hosts.map { try address($0) }
    }

    /// Chooses with many seeds, each from the same memory: what can come out.
    private func outcomes(
        _ choice: AddressChoice, _ addresses: [SocketAddress], inUse: [SocketAddress] = [],
        now: Int64 = 0
    ) -> Set<SocketAddress?> {
        Set(
            (UInt64(0)..<100).map { seed in
                var (choice, random) = (choice, Seeded(state: seed))
                return choice.choose(
                    from: addresses, inUse: inUse, nowNanoseconds: now, using: &random)
            })
    }

    @Test func noAddressIsNoChoice() {
        #expect(outcomes(AddressChoice(), []) == [nil])
    }

    @Test func equalAddressesAreChosenAtRandom() throws {
        let all = try Self.addresses("10.0.0.1", "10.0.0.2", "10.0.0.3")
        #expect(outcomes(AddressChoice(), all) == Set(all))
    }

    @Test func addressesThatOthersUseComeLater() throws {
        let all = try Self.addresses("10.0.0.1", "10.0.0.2", "10.0.0.3")
        #expect(outcomes(AddressChoice(), all, inUse: [all[0], all[2]]) == [all[1]])
        let uses = [all[0], all[0], all[1], all[2], all[2]]
        #expect(outcomes(AddressChoice(), all, inUse: uses) == [all[1]])
    }

    /// jchambers/pushy#885: one of the addresses is dead.
    @Test func whatFailedIsLeftForMinutesAndThenTriedAgain() throws {
        let all = try Self.addresses("10.0.0.1", "10.0.0.2")
        var choice = AddressChoice()
        choice.failed(all[0], nowNanoseconds: 5)
        let end = 5 + AddressChoice.memoryNanoseconds
        // Even though the other one is in use already.
        #expect(outcomes(choice, all, inUse: [all[1]], now: end - 1) == [all[1]])
        #expect(outcomes(choice, all, inUse: [all[1]], now: end) == [all[0]])
        choice.worked(all[0])
        #expect(outcomes(choice, all, inUse: [all[1]], now: 6) == [all[0]])
    }

    @Test func ifAllFailedTheOldestFailureIsTried() throws {
        let all = try Self.addresses("10.0.0.1", "::1", "10.0.0.3")
        var choice = AddressChoice()
        choice.failed(all[1], nowNanoseconds: 1)
        choice.failed(all[0], nowNanoseconds: 2)
        choice.failed(all[2], nowNanoseconds: 3)
        #expect(outcomes(choice, all, now: 4) == [all[1]])
        choice.failed(all[1], nowNanoseconds: 4)
        #expect(outcomes(choice, all, now: 4) == [all[0]])
    }

    /// RFC 8305: the families take turns, the system's first choice first.
    @Test(arguments: [true, false]) func familiesTakeTurns(startsWithIPv6: Bool) throws {
        let six = try Self.addresses("2001:db8::1", "2001:db8::2")
        let four = try Self.addresses("10.0.0.1", "10.0.0.2")
        let all = startsWithIPv6 ? six + four : four + six
        var choice = AddressChoice()
        var random = Seeded(state: 1)
        var inUse: [SocketAddress] = []
        for _ in 0..<4 {
            let next = choice.choose(from: all, inUse: inUse, nowNanoseconds: 0, using: &random)
            inUse.append(try #require(next))
        }
        let wanted = startsWithIPv6 ? [true, false, true, false] : [false, true, false, true]
        #expect(inUse.map(\.isIPv6) == wanted)
        #expect(Set(inUse) == Set(all))
    }

    /// A network without IPv6 behind a resolver that knows it.
    @Test func aFamilyThatFailedComesLaterAsAWhole() throws {
        let six = try Self.addresses("2001:db8::1", "2001:db8::2", "2001:db8::3")
        let four = try Self.addresses("10.0.0.1", "10.0.0.2")
        var choice = AddressChoice()
        choice.failed(six[0], nowNanoseconds: 0)
        #expect(outcomes(choice, six + four, now: 1) == Set(four))
        #expect(outcomes(choice, six + four, inUse: [four[1]], now: 1) == [four[0]])
    }

    @Test func memoryIsBounded() throws {
        let all = try (0..<200).map { try Self.address("10.0.0.\($0)") }
        var choice = AddressChoice()
        for (time, address) in all.enumerated() {
            choice.failed(address, nowNanoseconds: Int64(time))
            choice.failed(address, nowNanoseconds: Int64(time))
            #expect(choice.remembered == min(time + 1, AddressChoice.failuresMax))
        }
        // The oldest was forgotten, the latest not.
        #expect(outcomes(choice, [all[0], all[199]], now: 200) == [all[0]])
    }
}
