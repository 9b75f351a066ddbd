internal import Glibc

/// What a simulator accepted, read from the file that it wrote.
struct AcceptanceRecord: Sendable {
    /// Microseconds since 1970 UTC of a recipient's acceptances, in order; empty: none.
    private(set) var times: [[Int64]]
    /// Lines that are none, or name nobody; a torn last line counts.
    private(set) var strangeLines = 0

    /// Digits of the time, a blank, 64 digits of the token, a line end.
    static let lineBytes = 16 + 1 + 64 + 1
    private static let numberDigits = 16

    /// Reads the file's text.
    ///
    /// - Parameters:
    ///   - text: Lines of microseconds and a token that begins with the recipient's number.
    ///   - recipients: How many there are.
    init(_ text: String, recipients: Int) {
        times = Array(repeating: [], count: recipients + 1)
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
            let words = line.split(separator: UInt8(ascii: " "))
            guard words.count == 2, let time = Int64(Substring(words[0])),
                let number = Int(Substring(words[1].prefix(Self.numberDigits)), radix: 16),
                (1...recipients).contains(number)
            else {
                strangeLines += 1
                continue
            }
            times[number].append(time)
        }
        for number in times.indices where times[number].count > 1 { times[number].sort() }
    }

    /// How often the recipient's push was accepted.
    func count(_ ordinal: Int) -> Int { times[ordinal].count }

    /// The most acceptances in any second, over all recipients.
    var inOneSecondMax: Int { SlidingSecond.most(of: times.flatMap { $0 }) }

    /// How many have been written so far, by the file's length.
    static func countSoFar(_ path: String) -> Int {
        var facts = stat()
        // Sound: the path lives for the call, the structure is written during it.
        guard unsafe stat(path, &facts) == 0 else { return 0 }
        return Int(facts.st_size) / lineBytes
    }
}

/// Counts in any second, not only in those of the clock.
enum SlidingSecond {
    private static let microseconds: Int64 = 1_000_000

    /// The most events in any half-open second.
    ///
    /// - Parameter times: Microseconds, in any order.
    /// - Returns: 0 for no events.
    static func most(of times: [Int64]) -> Int {
        let times = times.sorted()
        var most = 0
        var first = 0
        for (index, time) in times.enumerated() {
            while times[first] <= time - microseconds { first += 1 }
            most = max(most, index - first + 1)
        }
        return most
    }
}
