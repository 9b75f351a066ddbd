/// Reads the `retry-after` header of an answer.
///
/// Apple documents none, but a gateway may send one, and what asks for patience gets it. Only the
/// form in seconds is read; a date is ignored. *Source:* RFC 9110, section 10.2.3.
package enum RetryAfter {
    /// A longer wait than a day is not meant for us.
    package static let secondsMax = 86_400

    /// The seconds that a value asks for.
    ///
    /// - Parameter value: the header's value.
    /// - Returns: 0 to ``secondsMax``; nil if it is no plain number.
    package static func seconds(reading value: Span<UInt8>) -> Int? {
        guard value.count > 0, value.count <= 9 else { return nil }
        var seconds = 0
        for index in value.indices {
            let digit = Int(value[index]) - Int(UInt8(ascii: "0"))
            guard digit >= 0, digit <= 9 else { return nil }
            seconds = seconds * 10 + digit
        }
        return min(seconds, secondsMax)
    }
}
