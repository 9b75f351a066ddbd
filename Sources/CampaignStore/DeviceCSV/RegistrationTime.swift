// When an app registered a token, as files say it.

/// Reads the forms of `registered_at` that mean one moment only.
///
/// - ISO 8601: `2027-01-01T00:00:00Z`, with a blank for the `T`, fractions, offsets `+02`, `+0200`,
///   `+02:00`; without an offset it is UTC; the date alone is its midnight in UTC.
/// - Seconds or milliseconds since 1970: 9 to 11 digits, or 12 to 14.
///
/// Anything else, such as `01/02/2027`, is refused.
enum RegistrationTime {
    private static let secondsPerDay: Int64 = 86_400

    /// Microseconds since 1970; nil if the text is not one of the forms.
    static func microseconds(_ text: some Collection<UInt8>) -> Int64? {
        var scanner = Scanner(Array(text))
        if let digits = scanner.wholeNumber {
            switch scanner.count {
            case 9...11: return digits * 1_000_000
            case 12...14: return digits * 1000
            default: return nil
            }
        }
        guard let date = scanner.date() else { return nil }
        if scanner.isAtEnd { return date * secondsPerDay * 1_000_000 }
        guard scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
            let time = scanner.timeMicroseconds(), let offset = scanner.offsetSeconds(),
            scanner.isAtEnd
        else { return nil }
        return (date * secondsPerDay - offset) * 1_000_000 + time
    }

    /// Days from 1970-01-01 to a date of the Gregorian calendar; nil if there is no such date.
    static func days(year: Int64, month: Int64, day: Int64) -> Int64? {
        let isLeap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1970...9999).contains(year), (1...12).contains(month),
            (1...lengths[Int(month) - 1]).contains(day)
        else { return nil }
        let before = year - 1
        let leapDays = before / 4 - before / 100 + before / 400 - 477
        let inYear = lengths[..<(Int(month) - 1)].reduce(0, +)
        return (year - 1970) * 365 + leapDays + inYear + day - 1
    }

    private struct Scanner {
        private let bytes: [UInt8]
        private var index = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        var count: Int { bytes.count }
        var isAtEnd: Bool { index == bytes.count }

        /// The whole text as a number, if it is nothing but digits.
        var wholeNumber: Int64? {
            guard !bytes.isEmpty, bytes.count <= 18,
                bytes.allSatisfy({ (0x30...0x39).contains($0) })
            else { return nil }
            return bytes.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }

        mutating func skip(_ character: Unicode.Scalar) -> Bool {
            guard index < bytes.count, UInt32(bytes[index]) == character.value else { return false }
            index += 1
            return true
        }

        /// Exactly so many digits.
        mutating func digits(_ count: Int) -> Int64? {
            guard index + count <= bytes.count else { return nil }
            var value: Int64 = 0
            for byte in bytes[index..<(index + count)] {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int64(byte - 0x30)
            }
            index += count
            return value
        }

        /// `YYYY-MM-DD` as days since 1970.
        mutating func date() -> Int64? {
            guard let year = digits(4), skip("-"), let month = digits(2), skip("-"),
                let day = digits(2)
            else { return nil }
            return RegistrationTime.days(year: year, month: month, day: day)
        }

        /// `HH:MM[:SS[.fraction]]` as microseconds.
        mutating func timeMicroseconds() -> Int64? {
            guard let hour = digits(2), hour < 24, skip(":"), let minute = digits(2), minute < 60
            else { return nil }
            var micros = (hour * 3600 + minute * 60) * 1_000_000
            guard skip(":") else { return micros }
            // 60 is a leap second and counts as the next one.
            guard let second = digits(2), second <= 60 else { return nil }
            micros += second * 1_000_000
            guard skip(".") || skip(",") else { return micros }
            var scale: Int64 = 100_000
            guard index < bytes.count, (0x30...0x39).contains(bytes[index]) else { return nil }
            while index < bytes.count, (0x30...0x39).contains(bytes[index]) {
                micros += Int64(bytes[index] - 0x30) * scale
                scale /= 10
                index += 1
            }
            return micros
        }

        /// `Z`, `+HH`, `+HHMM`, `+HH:MM`, or nothing, as seconds east of UTC.
        mutating func offsetSeconds() -> Int64? {
            if isAtEnd || skip("Z") || skip("z") { return 0 }
            let isWest: Bool
            if skip("+") { isWest = false } else if skip("-") { isWest = true } else { return nil }
            guard let hours = digits(2), hours < 15 else { return nil }
            var seconds = hours * 3600
            if !isAtEnd {
                _ = skip(":")
                guard let minutes = digits(2), minutes < 60 else { return nil }
                seconds += minutes * 60
            }
            return isWest ? -seconds : seconds
        }
    }
}
