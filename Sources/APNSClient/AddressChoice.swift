internal import LinuxIO

/// Which of a host's addresses a connection goes to.
///
/// A host such as APNs has several addresses, and one of them, or one whole family of them, may be
/// dead while the others work. Better than others is, in this order:
/// 1. an address that has not failed in the last minutes; if all have, the one that failed first;
/// 2. one that fewer of our other connections use, to spread the load as Apple's answer does;
/// 3. one of a family (IPv6, IPv4) of which no address has failed lately;
/// 4. one of the other family than the last one chosen, so that a dead family costs one attempt
///    (the idea of RFC 8305, one attempt after the other); at first, of the family that the system
///    puts first;
/// 5. any, at random.
///
/// Example: of [::1] and 127.0.0.1 the first is refused; the next choice is 127.0.0.1, also for all
/// other connections, until five minutes have passed.
///
/// It has no clock: `nowNanoseconds` is monotonic time.
struct AddressChoice {
    /// How long a failure is remembered: 5 minutes, in nanoseconds.
    static let memoryNanoseconds: Int64 = 300_000_000_000
    /// How many failures are remembered: more than a host has addresses; the oldest goes first.
    static let failuresMax = 64

    private struct Failure {
        let address: SocketAddress
        let nanoseconds: Int64
    }

    /// Oldest first.
    private var failures: [Failure] = []
    private var lastWasIPv6: Bool?

    /// How many failures are remembered.
    var remembered: Int { failures.count }

    /// Chooses where to connect to.
    ///
    /// - Parameters:
    ///   - addresses: what the look-up gave, less what was tried in this opening.
    ///   - inUse: the addresses of the other connections, each as often as it is used.
    ///   - now: the time.
    ///   - random: breaks ties.
    /// - Returns: nil if there is no address.
    mutating func choose(
        from addresses: [SocketAddress], inUse: [SocketAddress], nowNanoseconds now: Int64,
        using random: inout some RandomNumberGenerator
    ) -> SocketAddress? {
        failures.removeAll { now >= $0.nanoseconds + Self.memoryNanoseconds }
        let wantsIPv6 = lastWasIPv6.map { !$0 } ?? addresses.first?.isIPv6 ?? false
        let ranked = addresses.shuffled(using: &random).map { address in
            (address, rank(address, inUse: inUse, wantsIPv6: wantsIPv6))
        }
        let best = ranked.min { $0.1 < $1.1 }?.0
        if let best { lastWasIPv6 = best.isIPv6 }
        return best
    }

    /// Less is better.
    private func rank(
        _ address: SocketAddress, inUse: [SocketAddress], wantsIPv6: Bool
    ) -> (Int64, Int, Int, Int) {
        let failed = failures.last { $0.address == address }?.nanoseconds ?? .min
        let uses = inUse.count { $0 == address }
        let isDoubtful = failures.contains { $0.address.isIPv6 == address.isIPv6 }
        return (failed, uses, isDoubtful ? 1 : 0, address.isIPv6 == wantsIPv6 ? 0 : 1)
    }

    /// No connection could be had at this address, or none that answered.
    mutating func failed(_ address: SocketAddress, nowNanoseconds: Int64) {
        worked(address)
        if failures.count == Self.failuresMax { failures.removeFirst() }
        failures.append(Failure(address: address, nanoseconds: nowNanoseconds))
    }

    /// A connection to this address works.
    mutating func worked(_ address: SocketAddress) {
        failures.removeAll { $0.address == address }
    }
}
