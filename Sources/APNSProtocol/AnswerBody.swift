/// The body of an answer that is not a 200: `{"reason":"Unregistered","timestamp":1794268800000}`.
///
/// A tenth of a campaign may be answered with one, so reading allocates nothing and copies
/// nothing: the reason is a range inside the bytes that were given. Unknown keys and nested values
/// are skipped. What is not one whole JSON object, or is longer or deeper than `APNSLimits` say,
/// gives nothing at all: half an answer is no ground to prune a device.
/// *Source:* Apple, "Handling notification responses from APNs".
package struct AnswerBody: Sendable, Equatable {
    /// Where the reason stands in the bytes, without its quotes; nil if there is none. A reason is
    /// taken as it is written: escapes in it are not resolved.
    package var reason: Range<Int>?

    /// When APNs established that the token was no longer active, in milliseconds since 1970 UTC;
    /// nil if it is missing or cannot be a time (then the time of sending counts).
    package var timestampMilliseconds: Int64?

    /// An answer that says nothing.
    package init() {}

    /// Reads the bytes of an answer, or of a GOAWAY frame's debug data.
    ///
    /// - Parameter bytes: The whole body.
    package init(reading bytes: Span<UInt8>) {
        guard bytes.count <= APNSLimits.answerBytesMax else { return }
        var scanner = JSONScanner()
        var body = AnswerBody()
        let isWhole = scanner.object(in: bytes) { key, value in
            if body.reason == nil, ASCII.isEqual(bytes, key, "reason"), value.kind == .string {
                body.reason = value.content
            } else if ASCII.isEqual(bytes, key, "timestamp") {
                body.timestampMilliseconds = Self.timestamp(bytes, value)
            }
        }
        if isWhole && scanner.isAtEnd(of: bytes) { self = body }
    }

    /// The times that are believed: from 2009, when APNs began, to the year 2286. It excludes
    /// zero, and seconds where milliseconds are meant.
    private static let plausibleMilliseconds: Range<Int64> =
        1_230_768_000_000..<10_000_000_000_000

    /// Digits, bare or as a string.
    private static func timestamp(_ bytes: Span<UInt8>, _ value: JSONScanner.Value) -> Int64? {
        guard value.kind == .string || value.kind == .word else { return nil }
        guard value.content.count == 13 else { return nil }
        var milliseconds: Int64 = 0
        for index in value.content {
            let digit = bytes[index] &- 0x30
            guard digit < 10 else { return nil }
            milliseconds = milliseconds * 10 + Int64(digit)
        }
        return plausibleMilliseconds.contains(milliseconds) ? milliseconds : nil
    }
}
