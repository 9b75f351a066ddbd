internal import DocumentTree
internal import SendPolicy

/// Readings of numbers with a unit: counts, durations, shares and rates.
extension FieldValue {
    /// The value as a whole number.
    ///
    /// - Parameter range: what is allowed.
    /// - Returns: the number.
    func wholeNumber(in range: ClosedRange<Int>) -> Int? {
        let wanted =
            range.upperBound >= Int(Int32.max)
            ? "a whole number, \(range.lowerBound) or more"
            : "a whole number from \(range.lowerBound) to \(range.upperBound)"
        guard let text = scalarText(wanted) else { return nil }
        // Eighteen digits fit into any Int here; more are out of every range of a file.
        guard text.utf8.count <= 18, let number = Int(text), range.contains(number) else {
            failKind(wanted)
            return nil
        }
        return number
    }

    /// The value as a duration such as `500ms`, `30s`, `5m`, `12h`, `14d`.
    ///
    /// - Parameters:
    ///   - range: what is allowed, in milliseconds.
    ///   - unit: what the field counts in, in milliseconds: 1 or 1000; finer values are refused.
    /// - Returns: milliseconds.
    func duration(in range: ClosedRange<Int64>, unit: Int64 = 1) -> Int64? {
        let wanted = "a duration such as 30s, 5m, 12h or 14d"
        guard let text = scalarText(wanted) else { return nil }
        guard let milliseconds = DurationText.milliseconds(text) else {
            failDuration(text, wanted)
            return nil
        }
        guard range.contains(milliseconds), milliseconds % unit == 0 else {
            let lower = DurationText.text(milliseconds: range.lowerBound)
            let upper = DurationText.text(milliseconds: range.upperBound)
            let whole = unit == 1 ? "" : " in whole seconds"
            failKind("a duration from \(lower) to \(upper)\(whole)")
            return nil
        }
        return milliseconds
    }

    /// Says why a text is no duration: most often the unit is missing.
    private func failDuration(_ text: String, _ wanted: String) {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            failKind(wanted)
            return
        }
        if text.utf8.count >= 10 {
            let unit = text.utf8.count >= 13 ? "milliseconds" : "seconds"
            fail("found \(shown), which looks like a date in \(unit) since 1970; write \(wanted)")
        } else {
            fail("found \(shown) without a unit; write \(wanted)")
        }
    }

    /// The value as a share: `20%` or `0.2`.
    ///
    /// - Returns: the share.
    func share() -> Share? {
        let wanted = "a share from 0% to 100%, such as 20%"
        guard let text = scalarText(wanted) else { return nil }
        let isPercent = text.hasSuffix("%")
        let digits = isPercent ? String(text.dropLast()) : text
        guard let number = DecimalText.number(digits) else {
            failKind(wanted)
            return nil
        }
        if let share = Share(isPercent ? number / 100 : number) { return share }
        if !isPercent, number <= 100 {
            fail("found \(shown) without a percent sign; write \(digits)%")
        } else {
            failKind(wanted)
        }
        return nil
    }

    /// The value as a rate: `1500`, `40 per minute`, `unlimited`.
    ///
    /// - Returns: requests per second, or no limit.
    func rate() -> Rate? {
        let wanted = "requests per second such as 1500, or 40 per minute, or unlimited"
        guard let text = scalarText(wanted) else { return nil }
        if text == "unlimited" { return .unlimited }
        guard let rate = RateText.rate(text) else {
            failKind(wanted)
            return nil
        }
        guard RateText.isAllowed(rate) else {
            fail("found \(shown); a rate is from 1 per minute to 100000 per second, or unlimited")
            return nil
        }
        return rate
    }
}

/// Durations as people write them.
package enum DurationText {
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    /// The length of a duration.
    ///
    /// - Parameter text: digits and one of `ms`, `s`, `m`, `h`, `d`; a bare `0` needs no unit.
    /// - Returns: milliseconds; nil when the text is none or is above ten thousand years.
    package static func milliseconds(_ text: String) -> Int64? {
        if text == "0" { return 0 }
        let digits = text.prefix { ("0"..."9").contains($0) }
        let unit = text[digits.endIndex...]
        guard !digits.isEmpty, digits.utf8.count <= 15, let count = Int64(digits),
            let factor = units.first(where: { $0.name == unit })?.milliseconds
        else { return nil }
        let (product, overflow) = count.multipliedReportingOverflow(by: factor)
        return overflow ? nil : product
    }

    /// The shortest way to write a duration: whole units, the largest that fits.
    ///
    /// - Parameter milliseconds: the length, 0 or more.
    /// - Returns: such as `90s` or `2h`.
    package static func text(milliseconds: Int64) -> String {
        let fitting = units.last { milliseconds % $0.milliseconds == 0 && milliseconds != 0 }
        guard let fitting else { return "0s" }
        return "\(milliseconds / fitting.milliseconds)\(fitting.name)"
    }
}

/// Decimal numbers as people write them: digits with at most one point, nothing else.
enum DecimalText {
    /// The number.
    ///
    /// - Parameter text: such as `20`, `0.5`, `.5`.
    /// - Returns: nil for signs, exponents, words such as `nan`, and more than 15 digits.
    static func number(_ text: some StringProtocol) -> Double? {
        let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
        guard isPlain, text.utf8.count <= 16 else { return nil }
        return Double(String(text))
    }
}

/// Rates as people write them.
enum RateText {
    /// The fastest limited rate in requests per second: more than a connection can carry.
    private static let perSecondMax = 100_000.0
    /// The slowest rate in requests per second: one per minute.
    private static let perSecondMin = 1.0 / 60

    /// A rate.
    ///
    /// - Parameter text: `1500`, `1500 per second`, `40 per minute`.
    /// - Returns: nil when the text is no rate.
    static func rate(_ text: String) -> Rate? {
        let words = text.split(separator: " ")
        guard let first = words.first, let number = DecimalText.number(first) else { return nil }
        // Whole numbers keep an exact fraction: a third of a thousandth adds up over a day.
        let whole = Int(first)
        switch words.dropFirst().joined(separator: " ") {
        case "", "per second": return whole.flatMap(Rate.perSecond) ?? .perSecond(decimal: number)
        case "per minute": return whole.flatMap(Rate.perMinute) ?? .perSecond(decimal: number / 60)
        default: return nil
        }
    }

    /// Whether a campaign may use a rate.
    ///
    /// - Parameter rate: any rate.
    /// - Returns: whether it is in the range that the documentation gives.
    static func isAllowed(_ rate: Rate) -> Bool {
        guard let perSecond = rate.perSecond else { return true }
        return (perSecondMin...perSecondMax).contains(perSecond)
    }
}
