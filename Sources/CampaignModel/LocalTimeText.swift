/// Dates and times as people write them in a file, taken apart; whether such a day exists is
/// ``LocalTime``'s to say.
struct LocalTimeText: Equatable {
    /// Year, month, day, hour, minute, second, as written.
    let numbers: [Int]
    /// The distance to UTC in seconds that stands behind the time; nil: none does.
    let offsetSeconds: Int?
    /// The offset as written.
    let offsetText: String

    /// The farthest offsets there are: Kiribati's 14 hours, and 12 hours west.
    private static let offsetMinutes = -12 * 60...14 * 60

    /// Takes a text apart; nil when it has another form.
    ///
    /// - Parameter text: `2026-12-05T10:00` or with a blank, seconds, and `Z` or `+01:00`.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 16, bytes.count <= 26, Self.fits(bytes[..<16], "0000-00-00T00:00")
        else { return nil }
        var numbers = [0..<4, 5..<7, 8..<10, 11..<13, 14..<16].map { Self.number(bytes[$0]) }
        var rest = bytes[16...]
        if rest.first == UInt8(ascii: ":") {
            guard Self.fits(rest.prefix(3), ":00") else { return nil }
            numbers.append(Self.number(rest.dropFirst().prefix(2)))
            rest = rest.dropFirst(3)
        } else {
            numbers.append(0)
        }
        if rest.first == UInt8(ascii: " ") {
            rest = rest.dropFirst()
            if rest.isEmpty { return nil }
        }
        self.numbers = numbers
        offsetText = String(decoding: rest, as: UTF8.self)
        guard !rest.isEmpty else {
            offsetSeconds = nil
            return
        }
        guard let seconds = Self.offset(rest) else { return nil }
        offsetSeconds = seconds
    }

    private static func offset(_ bytes: ArraySlice<UInt8>) -> Int? {
        if bytes.elementsEqual("Z".utf8) || bytes.elementsEqual("z".utf8) { return 0 }
        let isWest = bytes.first == UInt8(ascii: "-")
        guard isWest || bytes.first == UInt8(ascii: "+"), fits(bytes.dropFirst(), "00:00")
        else { return nil }
        let minute = number(bytes.suffix(2))
        let minutes = number(bytes.dropFirst().prefix(2)) * 60 + minute
        let signed = isWest ? -minutes : minutes
        return minute < 60 && offsetMinutes.contains(signed) ? signed * 60 : nil
    }

    /// Whether bytes have the form of a pattern: `0` is any digit, `T` may be a blank.
    private static func fits(_ bytes: ArraySlice<UInt8>, _ pattern: String) -> Bool {
        let pattern = Array(pattern.utf8)
        guard bytes.count == pattern.count else { return false }
        return zip(bytes, pattern).allSatisfy { byte, wanted in
            switch wanted {
            case UInt8(ascii: "0"): (0x30...0x39).contains(byte)
            case UInt8(ascii: "T"): byte == wanted || byte == UInt8(ascii: " ") || byte == 0x74
            default: byte == wanted
            }
        }
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int {
        digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }
}
