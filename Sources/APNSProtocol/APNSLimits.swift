/// The limits of the provider protocol, each with its unit and its source.
package enum APNSLimits {
    /// The longest payload of an ordinary push, in bytes of UTF-8.
    /// *Source:* Apple, "Generating a remote notification".
    package static let payloadBytesMax = 4096

    /// The longest `apns-collapse-id`, in bytes (not characters).
    /// *Source:* Apple, "Sending notification requests to APNs".
    package static let collapseIDBytesMax = 64

    /// The shortest device token that is believed, in hexadecimal digits (16 bytes).
    ///
    /// Apple forbids assuming a size. Nothing shorter than 64 digits was ever reported, so half of
    /// that is far below every real token and above most accidents.
    package static let tokenDigitsMin = 32

    /// The length every ordinary app token has had so far, in hexadecimal digits. Only good for
    /// pointing out a token that is shorter.
    package static let tokenDigitsUsual = 64

    /// The longest device token that is believed, in hexadecimal digits. Apple announced growth to
    /// 200 digits (WWDC 2015, session 720); this leaves room for more than twice that.
    package static let tokenDigitsMax = 512

    /// The length of a key identifier and of a team identifier, in characters.
    /// *Source:* Apple, "Establishing a token-based connection to APNs".
    package static let keyIDLength = 10

    /// The longest topic that is believed, in bytes. Apple names no limit; bundle identifiers stay
    /// far below this one, and the header list APNs accepts is 8,000 bytes.
    package static let topicBytesMax = 255

    /// The longest answer body that is looked at, in bytes. Real ones are below 100.
    package static let answerBytesMax = 8192

    /// The deepest nesting that is followed in an answer body. Real ones have depth 1.
    package static let answerDepthMax = 16

    /// How long APNs stores an undelivered push at most, in seconds (30 days).
    /// *Source:* Apple, "Sending notification requests to APNs".
    package static let storageSecondsMax: Int64 = 30 * 86_400
}
