// A quick hash of a device token: eight bytes at a time through a 64 x 64 to 128 bit product whose
// halves are folded together (the mixing step known from wyhash). It decides a token's fate and
// stands for the token in the sets that find doubles, so it has to be even and cheap, not secret:
// about 15 ns for 64 digits, where a byte-wise hash takes about 80 and SHA-256 several hundred.
//
// Hex digits of both cases hash alike, as both name the same device: setting bit 5 of each byte
// makes A-F into a-f and leaves 0-9 as they are.

/// A 64-bit hash of a device token, the same for upper-case and lower-case digits.
package enum TokenHash {
    private static let multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15
    private static let stir: UInt64 = 0xD6E8_FEB8_6659_FD93
    private static let lowerCaseBits: UInt64 = 0x2020_2020_2020_2020

    /// Hashes a token's text.
    ///
    /// - Parameters:
    ///   - token: The token's hex digits as they stood in the path.
    ///   - seed: Tokens fall differently under each seed.
    /// - Returns: An evenly spread value, stable over machines and versions.
    package static func value(of token: Span<UInt8>, seed: UInt64) -> UInt64 {
        var state = mixed(seed ^ stir, UInt64(truncatingIfNeeded: token.count) ^ multiplier)
        var offset = 0
        while offset &+ 8 <= token.count {
            // Sound: the loop's condition leaves at least eight bytes after the offset.
            let word = unsafe token.bytes.unsafeLoadUnaligned(
                fromByteOffset: offset, as: UInt64.self)
            state = mixed(state ^ (UInt64(littleEndian: word) | lowerCaseBits), multiplier)
            offset &+= 8
        }
        var tail: UInt64 = 0
        while offset < token.count {
            tail = tail << 8 | UInt64(token[offset] | 0x20)
            offset &+= 1
        }
        return mixed(state ^ tail, stir)
    }

    /// Another independent value from a hash, for a second question about the same token.
    ///
    /// - Parameters:
    ///   - hash: What `value(of:seed:)` returned.
    ///   - question: Tells the questions apart.
    /// - Returns: An evenly spread value that says nothing about `hash`.
    package static func derived(from hash: UInt64, question: UInt64) -> UInt64 {
        mixed(hash ^ (question &* multiplier), stir)
    }

    private static func mixed(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low ^ left
    }
}
