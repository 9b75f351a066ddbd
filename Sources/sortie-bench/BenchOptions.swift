/// What the command line asks for.
struct BenchOptions: Sendable {
    var cases = BenchCase.all
    var paces = PaceCase.all
    /// The built program; nil: the one beside this one.
    var program: String?
    /// Where the JSON goes.
    var output = "bench.json"
    /// A page whose tables are replaced; nil: none.
    var page: String?
    /// Settings of PostgreSQL that differ from the private cluster's own.
    var settings: [(name: String, value: String)] = []
    /// Seconds after which no further case begins.
    var secondsMax: Double?

    static var usage: String {
        """
        usage: bench [options]
          --case NAME      only this case; may be repeated; "pace" is the check of the pace
          --pairs N        runs of each sender in each case
          --recipients N   recipients in each case
          --seconds N      how long each pace is kept up (default: 60)
          --quick          small cases, two minutes in all
          --output FILE    where the figures go as JSON (default: bench.json)
          --page FILE      replace the tables between the marks on this page
          --setting N=V    a setting of PostgreSQL, such as wal_level=replica; may be repeated
          --program FILE   the sortie to measure (default: the one built beside this program)
        cases: \((BenchCase.all.map(\.name) + ["pace"]).joined(separator: ", "))
        """
    }

    /// Reads the arguments; nil if they make no sense.
    ///
    /// - Parameter arguments: Without the program's name.
    init?(_ arguments: [String]) {
        var rest = arguments[...]
        var names: [String] = []
        var numbers: [String: Int] = [:]
        while let name = rest.popFirst() {
            if name == "--quick" {
                applyQuick()
                continue
            }
            guard let value = rest.popFirst() else { return nil }
            switch name {
            case "--case": names += value.split(separator: ",").map(String.init)
            case "--pairs", "--recipients", "--seconds":
                guard let number = Int(value), (1...100_000_000).contains(number) else {
                    return nil
                }
                numbers[name] = number
            case "--output": output = value
            case "--page": page = value
            case "--program": program = value
            case "--setting":
                guard let setting = Self.setting(value) else { return nil }
                settings.append(setting)
            default: return nil
            }
        }
        guard choose(names) else { return nil }
        apply(numbers)
    }

    /// Name and value; both go into a statement, so only plain ones are taken.
    private static func setting(_ text: String) -> (name: String, value: String)? {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        let isPlain = { (part: String) in
            part.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x7A).contains($0) }
                && !part.contains("\\") && !part.contains("`") && !part.contains("^")
        }
        guard parts.count == 2, parts.allSatisfy(isPlain) else { return nil }
        return (parts[0], parts[1])
    }

    private mutating func applyQuick() {
        cases = BenchCase.quick
        paces = [PaceCase(rate: 1_500, burst: 100, seconds: 5)]
        secondsMax = 85
    }

    /// Keeps the named cases; false for a name that is none.
    private mutating func choose(_ names: [String]) -> Bool {
        guard !names.isEmpty else { return true }
        let known = cases + BenchCase.all.filter { one in !cases.contains { $0.name == one.name } }
        guard names.allSatisfy({ name in name == "pace" || known.contains { $0.name == name } })
        else { return false }
        cases = known.filter { names.contains($0.name) }
        if !names.contains("pace") { paces = [] }
        return true
    }

    private mutating func apply(_ numbers: [String: Int]) {
        for index in cases.indices {
            if let pairs = numbers["--pairs"] { cases[index].pairs = pairs }
            if let recipients = numbers["--recipients"] { cases[index].recipients = recipients }
        }
        for index in paces.indices {
            if let seconds = numbers["--seconds"] { paces[index].seconds = seconds }
        }
        // Devices are added, never taken away: so each case finds as many as it wants.
        if secondsMax == nil { cases.sort { $0.recipients < $1.recipients } }
    }

    /// Seconds that everything is expected to take.
    var secondsExpected: Double {
        let runs = cases.reduce(0.0) { $0 + 8 + $1.pairSeconds * Double($1.pairs) }
        let devices = cases.map(\.recipients).max() ?? 0
        let kept = paces.reduce(0.0) { $0 + Double($1.seconds) + 15 }
        return 15 + Double(devices) * 20e-6 + runs + kept
    }
}
