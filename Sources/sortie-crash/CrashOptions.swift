internal import LinuxIO

/// What the command line asks for.
struct CrashOptions: Sendable {
    /// Which test.
    enum Kind: Sendable { case rounds, network, restarts }

    /// What becomes of recipients in doubt.
    enum Unconfirmed: String, Sendable { case keep, resend }

    var kind = Kind.rounds
    /// Rounds for each rule.
    var rounds = 20
    var recipients = 20_000
    var workers = 2
    var rules: [Unconfirmed] = [.keep, .resend]
    /// Of the first round; each further one has the next.
    var seed: UInt64
    /// Only these faults; empty: all.
    var faults: [Fault.Kind] = []
    /// The built program; nil: the one beside this one.
    var program: String?
    /// Folders of rounds in which nothing was broken are left too.
    var keepsFolders = false
    /// Seconds that the sending itself is paced to take.
    var sendSeconds = 2.0

    static let usage = """
        usage: crash-test [options]
          --rounds N        rounds for each rule of "unconfirmed" (default: 20)
          --recipients N    recipients of each round, 100 to 1,000,000 (default: 20,000)
          --workers N       processes that work on a run, 1 to 8 (default: 2)
          --unconfirmed R   keep, resend or both (default: both)
          --seed S          of the first round; each further one has the next number
          --only FAULT      only this fault; may be repeated
          --program FILE    the sortie to test (default: the one built beside this program)
          --keep-folders    leave what every round wrote, not only where a promise was broken
          --network         three workers in network namespaces, one of them cut off
          --restarts        PostgreSQL restarted three times behind a pooler
        faults: \(Fault.Kind.allCases.map(\.rawValue).joined(separator: ", "))
        """

    /// Reads the arguments; nil if they make no sense.
    ///
    /// - Parameter arguments: Without the program's name.
    init?(_ arguments: [String]) {
        seed = UInt64(WallClock.microseconds()) % 1_000_000_007
        var rest = arguments[...]
        while let name = rest.popFirst() {
            switch name {
            case "--network": kind = .network
            case "--restarts": kind = .restarts
            case "--keep-folders": keepsFolders = true
            default:
                guard let value = rest.popFirst(), take(name, value) else { return nil }
            }
        }
    }

    private mutating func take(_ name: String, _ value: String) -> Bool {
        switch name {
        case "--rounds": take(value, 1...100_000, &rounds)
        case "--recipients": take(value, 100...1_000_000, &recipients)
        case "--workers": take(value, 1...8, &workers)
        case "--seed": takeSeed(value)
        case "--unconfirmed": takeRule(value)
        case "--only": takeFault(value)
        case "--program": takeProgram(value)
        default: false
        }
    }

    private func take(_ text: String, _ limits: ClosedRange<Int>, _ number: inout Int) -> Bool {
        guard let value = Int(text), limits.contains(value) else { return false }
        number = value
        return true
    }

    private mutating func takeSeed(_ text: String) -> Bool {
        guard let value = UInt64(text) else { return false }
        seed = value
        return true
    }

    private mutating func takeRule(_ text: String) -> Bool {
        if text == "both" { return true }
        guard let rule = Unconfirmed(rawValue: text) else { return false }
        rules = [rule]
        return true
    }

    private mutating func takeFault(_ text: String) -> Bool {
        guard let fault = Fault.Kind(rawValue: text) else { return false }
        faults.append(fault)
        return true
    }

    private mutating func takeProgram(_ text: String) -> Bool {
        program = text
        return true
    }
}
