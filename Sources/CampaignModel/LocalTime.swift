/// A date and time of day as a clock on a wall shows them: which instant that is, a time zone says.
///
/// The calendar is the Gregorian one. A value always is a day that exists.
package struct LocalTime: Sendable, Hashable, CustomStringConvertible {
    /// The years a schedule may lie in; others are slips of the hand.
    package static let years = 2000...2099

    /// The year, within ``years``.
    package let year: Int
    /// The month, 1 to 12.
    package let month: Int
    /// The day of the month.
    package let dayOfMonth: Int
    /// The hour, 0 to 23.
    package let hour: Int
    /// The minute, 0 to 59.
    package let minute: Int
    /// The second, 0 to 59.
    package let second: Int

    /// A date and time; nil if there is no such day or time.
    ///
    /// - Parameters:
    ///   - year: within ``years``.
    ///   - month: 1 to 12.
    ///   - dayOfMonth: 1 to the length of the month.
    ///   - hour: 0 to 23.
    ///   - minute: 0 to 59.
    ///   - second: 0 to 59; clocks of computers know no leap seconds.
    package init?(
        year: Int, month: Int, dayOfMonth: Int, hour: Int, minute: Int, second: Int = 0
    ) {
        guard Self.years.contains(year), (1...12).contains(month),
            (1...Self.days(inMonth: month, of: year)).contains(dayOfMonth),
            (0...23).contains(hour), (0...59).contains(minute), (0...59).contains(second)
        else { return nil }
        self.year = year
        self.month = month
        self.dayOfMonth = dayOfMonth
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// The date, as `2026-12-05`.
    package var day: String {
        "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(dayOfMonth, 2))"
    }

    /// As `2026-12-05 10:00`, with seconds where there are any.
    package var description: String {
        let seconds = second == 0 ? "" : ":\(Self.digits(second, 2))"
        return "\(day) \(Self.digits(hour, 2)):\(Self.digits(minute, 2))\(seconds)"
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2:
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            return isLeap ? 29 : 28
        case 4, 6, 9, 11: return 30
        default: return 31
        }
    }

    /// A number with zeros before it.
    ///
    /// - Parameters:
    ///   - number: 0 or more.
    ///   - count: digits at least.
    /// - Returns: such as `05`.
    static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
}
