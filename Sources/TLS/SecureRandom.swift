internal import COpenSSL

/// Random numbers nobody can guess; any thread.
package enum SecureRandom {
    /// Random bytes.
    ///
    /// - Parameter count: how many, 0 or more.
    /// - Returns: so many bytes.
    ///
    /// *C:* `RAND_bytes`, which can only fail if the kernel gives no randomness.
    package static func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        // Sound: writes exactly the array's length.
        let isFilled = unsafe RAND_bytes(&bytes, Int32(count)) == 1
        precondition(isFilled, "the system gives no random numbers")
        return bytes
    }

    /// A random number, every value as likely as any other.
    ///
    /// - Returns: 64 random bits.
    package static func uint64() -> UInt64 {
        bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}
