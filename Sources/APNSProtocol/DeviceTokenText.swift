/// A device token brought into its one form: lower-case hexadecimal digits.
///
/// Tokens come from databases, logs and spreadsheets, and carry what those put around them:
/// angle brackets and blanks of old iOS descriptions, no-break spaces, quotation marks, and the
/// guards (`'…`, `="…"`) that keep a spreadsheet from reading a number. These are removed, and
/// nothing else is: a text that then is not all digits is refused, never guessed at.
package struct DeviceTokenText: Sendable, Equatable {
    /// The token's digits, lower case.
    package let token: String

    /// Whether anything but digits was removed. Turning upper case into lower case is not counted.
    package let wasCleaned: Bool

    /// Whether the token is shorter than app tokens are: worth pointing out, no ground to refuse.
    package var isUnusuallyShort: Bool { token.utf8.count < APNSLimits.tokenDigitsUsual }

    /// Brings a token into its one form.
    ///
    /// - Parameter raw: The token's bytes as found, UTF-8.
    /// - Returns: The token, or what is wrong with it.
    package static func normalise(
        _ raw: Span<UInt8>
    ) -> Result<DeviceTokenText, DeviceTokenFault> {
        var digits: [UInt8] = []
        do throws(DeviceTokenFault) {
            let wasCleaned = try append(normalised: raw, to: &digits)
            let token = String(decoding: digits, as: UTF8.self)
            return .success(DeviceTokenText(token: token, wasCleaned: wasCleaned))
        } catch {
            return .failure(error)
        }
    }

    /// Brings a token into its one form.
    ///
    /// - Parameter raw: The token as found.
    /// - Returns: The token, or what is wrong with it.
    package static func normalise(_ raw: String) -> Result<DeviceTokenText, DeviceTokenFault> {
        normalise(raw.utf8.span)
    }

    /// Appends the normal form of a token to a buffer, without any allocation of its own.
    ///
    /// - Parameters:
    ///   - raw: The token's bytes as found, UTF-8.
    ///   - output: Where the digits go; unchanged when an error is thrown.
    /// - Returns: Whether anything but digits was removed.
    /// - Throws: What is wrong with the token.
    package static func append(
        normalised raw: Span<UInt8>, to output: inout [UInt8]
    ) throws(DeviceTokenFault) -> Bool {
        if appendPlain(raw, to: &output) { return false }
        let wrapping = TokenWrapping(raw)
        let inner = wrapping.inner
        if inner.isEmpty { throw .empty }
        if let service = OtherPushService(ofTokenAt: inner, in: raw) {
            throw .otherService(service)
        }
        let start = output.count
        do throws(DeviceTokenFault) {
            let skipped = try appendDigits(raw, inner, to: &output)
            try checkLength(output.count - start)
            return wrapping.isWrapped || skipped
        } catch {
            output.removeSubrange(start...)
            throw error
        }
    }

    /// Appends a token that needs no cleaning and has whole groups of eight digits, as nearly every
    /// one has; an import of millions spends its time here. Reports whether it was one.
    private static func appendPlain(_ raw: Span<UInt8>, to output: inout [UInt8]) -> Bool {
        guard raw.count % 8 == 0, raw.count >= APNSLimits.tokenDigitsMin,
            raw.count <= APNSLimits.tokenDigitsMax
        else { return false }
        let start = output.count
        for group in stride(from: 0, to: raw.count, by: 8) {
            guard let digits = HexDigits(in: raw, at: group) else {
                output.removeSubrange(start...)
                return false
            }
            output.append(addingCapacity: 8) { (free: inout OutputSpan<UInt8>) in
                for shift in stride(from: UInt64(0), to: 64, by: 8) {
                    free.append(UInt8(truncatingIfNeeded: digits.lowerCase >> shift))
                }
            }
        }
        return true
    }

    /// Appends the digits in the range and reports whether there were blanks between them.
    private static func appendDigits(
        _ raw: Span<UInt8>, _ range: Range<Int>, to output: inout [UInt8]
    ) throws(DeviceTokenFault) -> Bool {
        var index = range.lowerBound
        var skipped = false
        while index < range.upperBound {
            let byte = raw[index]
            let blank = TokenWrapping.blank(in: raw, at: index)
            if ASCII.hexValue(byte) != nil {
                // Bit 5 makes a letter lower case and is set in every digit.
                output.append(byte | 0x20)
                index += 1
            } else if blank > 0 {
                skipped = true
                index += blank
            } else {
                throw fault(in: raw, at: index)
            }
        }
        return skipped
    }

    private static func checkLength(_ count: Int) throws(DeviceTokenFault) {
        if count == 0 { throw .empty }
        if count > APNSLimits.tokenDigitsMax { throw .tooLong(count) }
        if count < APNSLimits.tokenDigitsMin { throw .tooShort(count) }
        if count % 2 == 1 { throw .oddDigits(count) }
    }

    /// Names the character that stands at a place.
    private static func fault(in raw: Span<UInt8>, at index: Int) -> DeviceTokenFault {
        var bytes: [UInt8] = []
        for position in index..<min(index + 4, raw.count) { bytes.append(raw[position]) }
        var decoder = UTF8()
        var iterator = bytes.makeIterator()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return .notText }
        return .foreignCharacter(scalar)
    }
}

extension OtherPushService {
    /// Recognises a token of another service by its form.
    fileprivate init?(ofTokenAt range: Range<Int>, in raw: Span<UInt8>) {
        let start = range.lowerBound
        if ASCII.has("ExponentPushToken[", in: raw, at: start)
            || ASCII.has("ExpoPushToken[", in: raw, at: start)
        {
            self = .expo
        } else if ASCII.has("https://", in: raw, at: start) || raw[start] == UInt8(ascii: "{") {
            self = .webPush
        } else if range.contains(where: { ASCII.has(":APA91", in: raw, at: $0) }) {
            self = .firebase
        } else {
            return nil
        }
    }
}
