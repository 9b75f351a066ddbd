/// What came of one round.
struct RoundResult: Sendable {
    let number: Int
    let seed: UInt64
    let rule: CrashOptions.Unconfirmed
    let fault: Fault.Kind
    let recipients: Int
    /// The fault came before the run's end.
    var isHit = false
    var lost = 0
    var doubled = 0
    var doubledUnasked = 0
    var inDoubt = 0
    var inDoubtMost = 0
    var doubtMax = 0
    /// Recipients that were beyond the marks at the fault; nil: not looked at.
    var beyond: Int?
    /// From the fault to the next recorded acceptance; nil: there was none to wait for.
    var recoverySeconds: Double?
    /// The longest time after the fault in which no acceptance was recorded.
    var stallSeconds = 0.0
    /// From the fault until a lost worker was taken over; nil: none was.
    var takeoverSeconds: Double?
    var seconds = 0.0
    /// Workers that were started after the fault because nobody was left.
    var restarts = 0
    /// Every promise that was broken, as a sentence.
    var broken: [String] = []

    /// The round in one line.
    var line: String {
        let recovery = recoverySeconds.map { "\(NumberText.seconds($0)) s" } ?? "-"
        let verdict = broken.isEmpty ? "ok" : "BROKEN"
        return [
            NumberText.padded("\(number)", 4), NumberText.padded("\(seed)", 10),
            Self.left(rule.rawValue, 6), Self.left(fault.rawValue + (isHit ? "" : " (late)"), 24),
            "lost \(lost)  doubled \(doubled)  in doubt",
            NumberText.padded("\(inDoubt)", 5), " recovery", NumberText.padded(recovery, 8),
            " stall", NumberText.padded("\(NumberText.seconds(stallSeconds)) s", 7),
            " restarts \(restarts)", " all",
            NumberText.padded("\(NumberText.seconds(seconds)) s", 7),
            " \(verdict)",
        ].joined(separator: " ")
    }

    private static func left(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

/// Numbers for people.
enum NumberText {
    /// Seconds with one decimal.
    static func seconds(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10))"
    }

    /// Digits in groups of three.
    static func grouped(_ value: Int) -> String {
        var text = ""
        for (index, digit) in String(value).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }

    /// A text that ends at a column.
    static func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
