internal import COpenSSL

/// The two forms of an ECDSA signature on P-256: OpenSSL's DER, and the raw R and S of RFC 7518.
enum ECDSASignature {
    /// The bytes of R, and of S: the size of P-256's order.
    private static let numberBytes = 32

    /// Turns DER into 64 bytes; nil if it is none, or for a larger curve.
    static func raw(der: [UInt8]) -> [UInt8]? {
        // Sound: the parser reads at most the array's bytes.
        let parsed = unsafe der.withUnsafeBufferPointer { bytes in
            var next = bytes.baseAddress
            return unsafe d2i_ECDSA_SIG(nil, &next, bytes.count)
        }
        guard let signature = unsafe parsed else { return nil }
        defer { unsafe ECDSA_SIG_free(signature) }
        var raw = [UInt8](repeating: 0, count: 2 * numberBytes)
        // Sound: each half gets exactly 32 bytes, which BN_bn2binpad fills or refuses.
        let isWhole = unsafe raw.withUnsafeMutableBufferPointer { raw in
            unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), raw.baseAddress, 32) == 32
                && BN_bn2binpad(
                    ECDSA_SIG_get0_s(signature), raw.baseAddress?.advanced(by: 32), 32) == 32
        }
        return isWhole ? raw : nil
    }

    /// Turns 64 bytes into DER; nil if there are not 64.
    static func der(raw: [UInt8]) -> [UInt8]? {
        guard raw.count == 2 * numberBytes, let signature = unsafe ECDSA_SIG_new() else {
            return nil
        }
        // Sound: the signature takes over both numbers, and is freed below.
        defer { unsafe ECDSA_SIG_free(signature) }
        let (r, s) = (Array(raw[..<numberBytes]), Array(raw[numberBytes...]))
        unsafe ECDSA_SIG_set0(signature, BN_bin2bn(r, 32, nil), BN_bin2bn(s, 32, nil))
        // At most 72 bytes: two numbers of 33 bytes with two bytes in front, and two more.
        var der = [UInt8](repeating: 0, count: 80)
        let length = unsafe der.withUnsafeMutableBufferPointer { der in
            var next = der.baseAddress
            return unsafe i2d_ECDSA_SIG(signature, &next)
        }
        return length > 0 ? Array(der[..<Int(length)]) : nil
    }
}
