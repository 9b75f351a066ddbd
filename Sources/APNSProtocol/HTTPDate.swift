/// Reads the `date` header of an answer in its one modern form, `Sun, 06 Nov 1994 08:49:37 GMT`.
/// *Source:* RFC 9110, section 5.6.7.
package enum HTTPDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The moment that a value names.
    ///
    /// - Parameter text: the header's value.
    /// - Returns: seconds since 1970 UTC; nil if it is not of this form.
    package static func seconds(reading text: Span<UInt8>) -> Int64? {
        guard text.count == 29, matches(text, 25, " GMT"), matches(text, 3, ", "),
            let day = number(text, 5, 2), (1...31).contains(day),
            let month = months.firstIndex(where: { matches(text, 8, $0) }),
            let year = number(text, 12, 4), year >= 1970,
            let hour = number(text, 17, 2), hour < 24, matches(text, 19, ":"),
            let minute = number(text, 20, 2), minute < 60, matches(text, 22, ":"),
            let second = number(text, 23, 2), second <= 60
        else { return nil }
        let days = daysSince1970(year: year, month: Int64(month) + 1, day: day)
        return days * 86_400 + hour * 3600 + minute * 60 + second
    }

    private static func matches(_ text: Span<UInt8>, _ start: Int, _ word: String) -> Bool {
        var index = start
        for byte in word.utf8 {
            if text[index] != byte { return false }
            index += 1
        }
        return true
    }

    private static func number(_ text: Span<UInt8>, _ start: Int, _ digits: Int) -> Int64? {
        var value: Int64 = 0
        for index in start..<start + digits {
            let digit = Int64(text[index]) - Int64(UInt8(ascii: "0"))
            guard digit >= 0, digit <= 9 else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// Years begin in March here, so that the leap day is a year's last day.
    private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        let leapDays = shifted / 4 - shifted / 100 + shifted / 400
        // 719,468 days lie between 0000-03-01 and 1970-01-01.
        return shifted * 365 + leapDays + dayOfYear - 719_468
    }
}
