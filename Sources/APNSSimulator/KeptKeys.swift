internal import LinuxIO
internal import TLS

/// What a simulator needs to start again as the same server: the files in which one that ran with
/// kept keys left them.
struct KeptKeys {
    private static let fileBytesMax = 100_000

    /// Certificates of the server.
    let certificates: CertificateSet
    /// Id of the signing key.
    let keyID: String
    /// Id of the team.
    let teamID: String

    /// Reads them.
    ///
    /// - Parameter directory: Where they are.
    /// - Returns: nil if none were left there.
    /// - Throws: `SystemError` if a part of them can't be read.
    static func read(in directory: String) throws(SystemError) -> KeptKeys? {
        let ids = idsFile(directory)
        guard FileContents.exists(ids) else { return nil }
        let words = String(decoding: try contents(ids), as: UTF8.self).split { $0.isWhitespace }
        guard words.count == 2 else {
            throw SystemError("read", ids, explanation: "it does not hold two ids")
        }
        return KeptKeys(
            certificates: CertificateSet(
                caCertificatePEM: try contents("\(directory)/simulator-ca.pem"),
                serverCertificatePEM: try contents(certificateFile(directory)),
                serverKeyPEM: try contents(keyFile(directory))),
            keyID: String(words[0]), teamID: String(words[1]))
    }

    /// Leaves them for the next start, readable by their owner only. The signing key and the
    /// authority's certificate are there already, for senders.
    ///
    /// - Parameter directory: Where; it exists.
    /// - Throws: `SystemError` if a file can't be written.
    func write(in directory: String) throws(SystemError) {
        try FileContents.write(
            Self.certificateFile(directory), certificates.serverCertificatePEM, mode: 0o600)
        try FileContents.write(
            Self.keyFile(directory), certificates.serverKeyPEM, mode: 0o600)
        // Last: whoever finds it finds the others.
        try FileContents.write(
            Self.idsFile(directory), Array("\(keyID) \(teamID)\n".utf8), mode: 0o600)
    }

    private static func contents(_ path: String) throws(SystemError) -> [UInt8] {
        try FileContents.read(path, limitBytes: fileBytesMax)
    }

    private static func idsFile(_ directory: String) -> String { "\(directory)/simulator-ids" }

    private static func certificateFile(_ directory: String) -> String {
        "\(directory)/simulator-server.pem"
    }

    private static func keyFile(_ directory: String) -> String {
        "\(directory)/simulator-server-key.pem"
    }
}
