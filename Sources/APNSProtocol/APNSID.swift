/// An `apns-id`: the UUID under which APNs knows one push.
package struct APNSID: Sendable, Hashable {
    /// The first eight bytes.
    package let high: UInt64
    /// The last eight bytes.
    package let low: UInt64

    /// An id from its two halves; both 0 stand for "none".
    ///
    /// - Parameters:
    ///   - high: The first eight bytes.
    ///   - low: The last eight bytes.
    @inlinable
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// No id.
    package static let none = APNSID(high: 0, low: 0)

    /// Reads the header's value, in either case: APNs writes its own ids in upper case.
    ///
    /// - Parameter text: The value; anything but a UUID of the form 8-4-4-4-12 gives nil.
    package init?(reading text: Span<UInt8>) {
        guard text.count == 36 else { return nil }
        let hyphen = UInt8(ascii: "-")
        guard text[8] == hyphen, text[13] == hyphen, text[18] == hyphen, text[23] == hyphen,
            let first = HexDigits(in: text, at: 0),
            let second = HexDigits(in: text, at: 9, and: 14),
            let third = HexDigits(in: text, at: 19, and: 24),
            let fourth = HexDigits(in: text, at: 28)
        else { return nil }
        high = first.number << 32 | second.number
        low = third.number << 32 | fourth.number
    }

    /// Appends the id as text, 36 characters, lower case.
    ///
    /// - Parameter output: Where the text goes.
    package func append(to output: inout [UInt8]) {
        for index in 0..<32 {
            if index == 8 || index == 12 || index == 16 || index == 20 {
                output.append(UInt8(ascii: "-"))
            }
            let half = index < 16 ? high : low
            let nibble = UInt8(half >> UInt64(60 - 4 * (index % 16)) & 0x0F)
            output.append(nibble < 10 ? 0x30 + nibble : 0x61 - 10 + nibble)
        }
    }
}
