internal import APNSClient
internal import APNSProtocol
internal import CampaignModel
internal import Glibc
internal import LinuxIO
internal import TLS

/// Reads the files that a credential names, with care for who else may read them.
enum CredentialFiles {
    /// Keys and certificates are a few thousand bytes; a larger file is something else.
    private static let bytesMax = 65_536

    /// Reads a signing key.
    ///
    /// - Parameters:
    ///   - key: the file and its ids.
    ///   - configuration: where relative names begin.
    ///   - console: where a warning goes; nil drops it.
    /// - Returns: what signs provider tokens.
    /// - Throws: `CommandFailure` or `KeyError`.
    static func providerCredential(
        _ key: Configuration.KeyFile, _ configuration: Configuration, _ console: Console?
    ) throws -> ProviderCredential {
        let path = configuration.path(of: key.file)
        let pem = try read(path, as: "The signing key", isSecret: true, console)
        return ProviderCredential(
            key: try SigningKey(pem: pem, source: path),
            identity: ProviderIdentity(keyID: key.keyID, teamID: key.teamID), isShared: true)
    }

    /// Reads a client certificate with its key.
    ///
    /// - Parameters:
    ///   - files: the names of its files.
    ///   - configuration: where relative names begin.
    ///   - console: where warnings go; nil drops them.
    /// - Returns: certificate and key, which belong together.
    /// - Throws: `CommandFailure` or `IdentityError`.
    static func identity(
        _ files: Configuration.CertificateFiles, _ configuration: Configuration,
        _ console: Console?
    ) throws -> ClientIdentity {
        // A certificate is no secret; the key beside it is.
        let certificate = try file(
            files.file, as: "The certificate", isSecret: files.keyFile == nil, configuration,
            console)
        let key = try files.keyFile.map { name in
            try file(name, as: "The certificate's key", isSecret: true, configuration, console)
        }
        let password = try files.passwordFile.map { name in
            try file(name, as: "The password file", isSecret: true, configuration, console)
        }
        return try ClientIdentity(
            certificateFile: certificate, keyFile: key, passwordFile: password)
    }

    private static func file(
        _ name: String, as what: String, isSecret: Bool, _ configuration: Configuration,
        _ console: Console?
    ) throws(CommandFailure) -> ClientIdentity.File {
        let path = configuration.path(of: name)
        return ClientIdentity.File(path, try read(path, as: what, isSecret: isSecret, console))
    }

    private static func read(
        _ path: String, as what: String, isSecret: Bool, _ console: Console?
    ) throws(CommandFailure) -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try FileContents.read(path, limitBytes: bytesMax)
        } catch {
            throw CommandFailure(
                .badConfiguration, "\(what) can't be read: \(error)\(advice(error.code))")
        }
        // Modes are checked for advice only, so a file system without them is no obstacle.
        if isSecret, let mode = try? FileContents.modeBits(path), isReadableByOthers(mode) {
            console?.message("warning: \(path) can be read by other users; run: chmod 600 \(path)")
        }
        return bytes
    }

    /// Whether group or others may read a file.
    ///
    /// - Parameter mode: the file's permission bits.
    /// - Returns: false if only its owner may.
    static func isReadableByOthers(_ mode: UInt32) -> Bool { mode & 0o044 != 0 }

    /// What to do about a file that can't be read.
    ///
    /// - Parameter code: the `errno`, 0 if there is none.
    /// - Returns: the rest of a sentence; empty if the cause says it all.
    static func advice(_ code: Int32) -> String {
        switch code {
        case ENOENT: "; names in sortie.json are relative to the folder it is in"
        case EACCES: "; the user that runs sortie must be able to read it: chown, chmod 600"
        case EISDIR: "; name the file in it"
        default: ""
        }
    }
}
