internal import LinuxIO

/// What has been seen so far: accepted tokens and provider tokens.
///
/// The worker hands in hashes by the batch, so that the lock is taken once per some hundred
/// requests.
/// Any thread.
final class SeenValues: Sendable {
    /// What was counted so far.
    struct Counts: Sendable, Equatable {
        var tokensAccepted = 0
        var sendTokensAcceptedAgain = 0
        var probeTokensAcceptedAgain = 0
        var acceptancesUntracked = 0
        var authorizations = 0
    }

    private struct State {
        var sends: TokenSet
        var probes: TokenSet
        var authorizations: Set<UInt64> = []
    }

    /// Different values of `authorization` told apart; beyond, the count stays.
    private static let authorizationsMax = 10_000

    private let state: Monitor<State>

    init(tokensMax: Int, tokensExpected: Int = 0) {
        state = Monitor(
            State(
                sends: TokenSet(countMax: tokensMax, countExpected: tokensExpected),
                probes: TokenSet(countMax: tokensMax)))
    }

    /// Adds tokens whose requests were accepted.
    ///
    /// - Parameters:
    ///   - sends: Hashes of tokens accepted in sends; emptied.
    ///   - probes: Hashes of tokens accepted in probes; emptied.
    func add(sends: inout [UInt64], probes: inout [UInt64]) {
        if sends.isEmpty, probes.isEmpty { return }
        state.withLock { state in
            for hash in sends { state.sends.insert(hash) }
            for hash in probes { state.probes.insert(hash) }
        }
        sends.removeAll(keepingCapacity: true)
        probes.removeAll(keepingCapacity: true)
    }

    /// Adds a value of `authorization`.
    ///
    /// - Parameter identity: Tells different values apart.
    func addAuthorization(_ identity: UInt64) {
        state.withLock { state in
            guard state.authorizations.count < Self.authorizationsMax else { return }
            state.authorizations.insert(identity)
        }
    }

    /// What was counted so far.
    var counts: Counts {
        state.withLock { state in
            Counts(
                tokensAccepted: state.sends.count,
                sendTokensAcceptedAgain: state.sends.repeatedCount,
                probeTokensAcceptedAgain: state.probes.repeatedCount,
                acceptancesUntracked: state.sends.untrackedCount + state.probes.untrackedCount,
                authorizations: state.authorizations.count)
        }
    }
}
