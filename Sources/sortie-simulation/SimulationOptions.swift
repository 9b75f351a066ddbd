internal import RunSimulation

/// The command line of `sortie-simulation`.
struct SimulationOptions {
    static let usage = """
        usage: sortie-simulation [--seeds N] [--first S] [--seed S] [--trace] [--verbose]
          --seeds N   how many seeds (1000)
          --first S   the first of them (1)
          --every K   every K-th of them only, so that processes can share (1)
          --seed S    this seed alone
          --trace     print each step
          --verbose   print a line for each seed
          --fault F   break a rule of the database on purpose:
                      \(ModelFault.allCases.map(\.rawValue).joined(separator: ", "))
        """

    private var first: UInt64 = 1
    private var count: UInt64 = 1000
    private var every: UInt64 = 1
    private(set) var isTraced = false
    private(set) var isVerbose = false
    /// A rule to break; nil for none.
    private(set) var fault: ModelFault?

    /// Reads the arguments; nil if they are not right.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            switch name {
            case "--trace": isTraced = true
            case "--verbose": isVerbose = true
            case "--fault":
                guard let fault = rest.popFirst().flatMap(ModelFault.init) else { return nil }
                self.fault = fault
            default:
                guard let number = rest.popFirst().flatMap({ UInt64($0) }),
                    take(name, number)
                else { return nil }
            }
        }
    }

    private mutating func take(_ name: String, _ number: UInt64) -> Bool {
        switch name {
        case "--seeds": count = number
        case "--first": first = number
        case "--every": every = max(1, number)
        case "--seed": (first, count) = (number, 1)
        default: return false
        }
        return true
    }

    /// The seeds to live through.
    var seeds: some Sequence<UInt64> {
        stride(from: first, to: first &+ count, by: Int(clamping: every))
    }
}
