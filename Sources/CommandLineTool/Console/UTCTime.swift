/// A moment in UTC, to the second.
struct UTCTime: Equatable, Sendable {
    let secondsSince1970: Int64

    /// The moment as ISO 8601 has it: `2026-12-05T10:00:00Z`.
    var text: String {
        let day = CalendarDay(secondsSince1970: secondsSince1970)
        let second = secondsSince1970 - day.firstSecond
        let parts = [second / 3_600, second / 60 % 60, second % 60].map(NumberText.twoDigits)
        return "\(day.text)T\(parts.joined(separator: ":"))Z"
    }
}
