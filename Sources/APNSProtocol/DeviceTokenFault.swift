/// Why a text is not a device token.
package enum DeviceTokenFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// Nothing but blanks.
    case empty
    /// A token of another push service.
    case otherService(OtherPushService)
    /// A character that is no hexadecimal digit.
    case foreignCharacter(Unicode.Scalar)
    /// Bytes that are not UTF-8 text.
    case notText
    /// An odd number of digits: half a byte is missing.
    case oddDigits(Int)
    /// Fewer digits than any token has.
    case tooShort(Int)
    /// More digits than any token has.
    case tooLong(Int)

    /// A sentence's second half, fit to follow a place: it never contains the token.
    package var description: String {
        switch self {
        case .empty: "the token is empty"
        case .otherService(let service): "not an APNs token but one of \(service.rawValue)"
        case .foreignCharacter(let scalar):
            "not an APNs token: it contains \(Self.name(scalar)), which is no hexadecimal digit"
        case .notText: "not an APNs token: it is not UTF-8 text"
        case .oddDigits(let count):
            "the token has an odd number of digits (\(count)); part of it is missing"
        case .tooShort(let count):
            "the token has \(count) digits, too few "
                + "(at least \(APNSLimits.tokenDigitsMin)); part of it is missing"
        case .tooLong(let count):
            "the token has \(count) digits, too many (at most \(APNSLimits.tokenDigitsMax))"
        }
    }

    /// The scalar as `U+200B`, with the character itself only where it is visible ASCII.
    private static func name(_ scalar: Unicode.Scalar) -> String {
        let hex = String(scalar.value, radix: 16, uppercase: true)
        let code = "U+" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
        return (0x21..<0x7F).contains(scalar.value) ? "\(code) (\(Character(scalar)))" : code
    }
}

/// Push services whose tokens turn up in exports beside those of APNs.
package enum OtherPushService: String, Sendable, CaseIterable {
    /// `ExponentPushToken[…]`, `ExpoPushToken[…]`.
    case expo = "Expo"
    /// `…:APA91b…`.
    case firebase = "Firebase Cloud Messaging"
    /// A URL with keys, as browsers give.
    case webPush = "Web Push"
}
