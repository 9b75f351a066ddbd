internal import COpenSSL

/// The public key that checks ES256 signatures, as a server that stands in for Apple's does.
///
/// *Ownership and thread*: any number of threads may verify at once.
package final class VerifyingKey: Sendable {
    private let key: PrivateKey

    /// Reads a public key.
    ///
    /// - Parameter pem: a "PUBLIC KEY" block on the curve P-256.
    /// - Throws: `TLSError` when it is none.
    package init(pem: [UInt8]) throws(TLSError) {
        key = try PrivateKey(publicPEM: pem, attempted: "read a public key")
        if let kind = key.otherKind {
            throw TLSError("read a public key", nil, reasons: ["found \(kind)"], kind: .other)
        }
    }

    /// Checks a signature.
    ///
    /// - Parameters:
    ///   - message: the bytes that were signed.
    ///   - signature: R and S, 32 bytes each.
    /// - Returns: whether the key's owner signed exactly this message.
    ///
    /// *C:* `EVP_DigestVerify`.
    package func verifiesES256(message: [UInt8], signature: [UInt8]) -> Bool {
        guard let der = ECDSASignature.der(raw: signature) else { return false }
        return ErrorQueue.cleared {
            // Sound: the context is freed below; lengths are those of the arrays.
            let context = unsafe EVP_MD_CTX_new()
            defer {
                unsafe EVP_MD_CTX_free(context)
                ERR_clear_error()
            }
            return unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key.pointer) == 1
                && EVP_DigestVerify(context, der, der.count, message, message.count) == 1
        }
    }
}
