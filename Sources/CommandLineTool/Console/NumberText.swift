/// Numbers as people read them. The same whatever the machine's locale: a report is compared
/// between machines, and parsed.
enum NumberText {
    /// A count with thousands separators: `12,345`.
    static func count(_ number: Int64) -> String {
        var text = ""
        for (position, digit) in String(number.magnitude).reversed().enumerated() {
            if position > 0, position.isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return (number < 0 ? "-" : "") + String(text.reversed())
    }

    /// A count that was held as `Int`.
    static func count(_ number: Int) -> String { count(Int64(number)) }

    /// A number of things with its noun: `1 device`, `2,000 devices`.
    static func count(_ number: Int64, _ one: String, _ many: String? = nil) -> String {
        "\(count(number)) \(number == 1 ? one : many ?? one + "s")"
    }

    /// A share of a whole: `12.3 %`. A whole of nothing has no shares: `-`.
    ///
    /// Rounded towards the middle: only a share of nothing is `0.0 %`, only everything is `100.0
    /// %`.
    static func share(_ part: Int64, of whole: Int64) -> String {
        guard whole > 0 else { return "-" }
        var tenths = (part * 1_000 + whole / 2) / whole
        if part > 0 { tenths = max(tenths, 1) }
        if part < whole { tenths = min(tenths, 999) }
        return "\(tenths / 10).\(tenths % 10) %"
    }

    /// A share in whole percent, rounded down: only everything is `100 %`.
    static func wholeShare(_ part: Int64, of whole: Int64) -> String {
        whole > 0 ? "\(part * 100 / whole) %" : "-"
    }

    /// A rate per second: whole above ten, one place below.
    static func rate(_ perSecond: Double) -> String {
        guard perSecond.isFinite, perSecond >= 0, perSecond < 1e12 else { return "-" }
        if perSecond >= 10 { return "\(count(Int64(perSecond.rounded())))/s" }
        let tenths = Int64((perSecond * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)/s"
    }

    /// A span of time in its two largest units: `850 ms`, `12.5 s`, `3 min 20 s`, `2 h 05 min`.
    static func duration(seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "-" }
        let milliseconds = Int64((seconds * 1_000).rounded())
        if milliseconds < 1_000 { return "\(milliseconds) ms" }
        let tenths = Int64((seconds * 10).rounded())
        if seconds == seconds.rounded(), seconds < 60 { return "\(tenths / 10) s" }
        if tenths < 600 { return "\(tenths / 10).\(tenths % 10) s" }
        let whole = Int64(seconds.rounded())
        if whole < 3_600 { return "\(whole / 60) min \(twoDigits(whole % 60)) s" }
        return "\(count(whole / 3_600)) h \(twoDigits(whole % 3_600 / 60)) min"
    }

    /// A number below 100 with a leading zero if it needs one.
    static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
