internal import COpenSSL

/// Fingerprints of bytes.
package enum Digest {
    /// The SHA-256 of some bytes.
    ///
    /// - Parameter bytes: any number of them.
    /// - Returns: 32 bytes.
    ///
    /// *C:* `SHA256`.
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
        // Sound: reads the array's length, writes 32 bytes.
        unsafe SHA256(bytes, bytes.count, &digest)
        return digest
    }
}
