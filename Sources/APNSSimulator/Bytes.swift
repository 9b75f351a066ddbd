internal import Glibc

/// Comparisons of borrowed bytes without making a String.
enum Bytes {
    /// Whether the bytes are exactly an ASCII text known at build time.
    static func areEqual(_ bytes: Span<UInt8>, _ text: StaticString) -> Bool {
        guard bytes.count == text.utf8CodeUnitCount else { return false }
        // Sound: both sides hold `count` bytes for the length of the call.
        return unsafe bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return true }
            return unsafe memcmp(base, text.utf8Start, buffer.count) == 0
        }
    }

    /// Whether two runs of bytes are the same.
    static func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
        guard left.count == right.count else { return false }
        // Sound: both sides hold `count` bytes for the length of the call.
        return unsafe left.withUnsafeBytes { leftBytes in
            unsafe right.withUnsafeBytes { rightBytes in
                guard let leftBase = leftBytes.baseAddress,
                    let rightBase = rightBytes.baseAddress
                else { return true }
                return unsafe memcmp(leftBase, rightBase, leftBytes.count) == 0
            }
        }
    }

    /// Whether the bytes begin with an ASCII text known at build time.
    static func begin(_ bytes: Span<UInt8>, with text: StaticString) -> Bool {
        guard bytes.count >= text.utf8CodeUnitCount else { return false }
        return areEqual(bytes.extracting(first: text.utf8CodeUnitCount), text)
    }
}

extension [UInt8] {
    /// Copies borrowed bytes to the end.
    mutating func append(_ bytes: Span<UInt8>) {
        // Sound: the buffer is read within the closure that lends it.
        unsafe bytes.withUnsafeBufferPointer { buffer in unsafe append(contentsOf: buffer) }
    }
}

/// Hex digits of either case.
enum HexDigits {
    /// Whether a byte is 0-9, a-f or A-F.
    static func isDigit(_ byte: UInt8) -> Bool {
        byte &- UInt8(ascii: "0") <= 9 || (byte | 0x20) &- UInt8(ascii: "a") <= 5
    }

    /// Whether every byte is a hex digit; eight bytes at a time, as every token is looked at.
    static func areAll(_ bytes: Span<UInt8>) -> Bool {
        var offset = 0
        while offset &+ 8 <= bytes.count {
            // Sound: the loop's condition leaves at least eight bytes after the offset.
            let word = unsafe bytes.bytes.unsafeLoadUnaligned(
                fromByteOffset: offset, as: UInt64.self)
            guard areAll(word) else { return false }
            offset &+= 8
        }
        while offset < bytes.count {
            guard isDigit(bytes[offset]) else { return false }
            offset &+= 1
        }
        return true
    }

    /// Adding 0x80 - b to a byte below 0x80 sets its high bit exactly if the byte is b or more, and
    /// never carries into the next one.
    private static func areAll(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs = ones &* 0x80
        let lower = (word | ones &* 0x20) & ~highs
        let plain = word & ~highs
        let decimal = (plain &+ ones &* (0x80 - 0x30)) & ~(plain &+ ones &* (0x80 - 0x3A))
        let letter = (lower &+ ones &* (0x80 - 0x61)) & ~(lower &+ ones &* (0x80 - 0x67))
        return (decimal | letter) & highs == highs && word & highs == 0
    }
}
