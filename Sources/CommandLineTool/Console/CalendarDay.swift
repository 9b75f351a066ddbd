/// A day of the Gregorian calendar in UTC.
struct CalendarDay: Equatable, Sendable {
    let year: Int64
    let month: Int64
    let day: Int64
    /// The day's first second, since 1970-01-01T00:00:00Z.
    let firstSecond: Int64

    private static let daySeconds: Int64 = 86_400
    /// From 0000-03-01 to 1970-01-01.
    private static let daysBefore1970: Int64 = 719_468
    /// The calendar repeats after 400 years.
    private static let daysPerEra: Int64 = 146_097

    /// The day that a moment falls on.
    ///
    /// Years are counted from March, so that the leap day is the last of its year, and within eras
    /// of 400 years.
    ///
    /// - Parameter seconds: since 1970-01-01T00:00:00Z; may be negative.
    init(secondsSince1970 seconds: Int64) {
        firstSecond = seconds - floorModulo(seconds, Self.daySeconds)
        let days = firstSecond / Self.daySeconds + Self.daysBefore1970
        let dayOfEra = floorModulo(days, Self.daysPerEra)
        let era = (days - dayOfEra) / Self.daysPerEra
        let leapDays = dayOfEra / 1_460 - dayOfEra / 36_524 + dayOfEra / 146_096
        let yearOfEra = (dayOfEra - leapDays) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The day as `2026-12-05`.
    var text: String {
        let years = String(year)
        let padding = String(repeating: "0", count: max(0, 4 - years.count))
        return "\(padding)\(years)-\(NumberText.twoDigits(month))-\(NumberText.twoDigits(day))"
    }
}

/// The remainder of a division that rounds down: never negative.
private func floorModulo(_ value: Int64, _ divisor: Int64) -> Int64 {
    let remainder = value % divisor
    return remainder < 0 ? remainder + divisor : remainder
}
