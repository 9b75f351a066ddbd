import CampaignModel
import DocumentText
import DocumentTree
import Testing

@Suite struct CredentialReaderTests {
    /// Reads one credential with these fields beside the app.
    private func read(_ fields: String) -> Result<Checked<Configuration>, Diagnostics> {
        let text = "credentials: [{ app: com.example.shop, \(fields) }]"
        return DocumentText.parse(Array(text.utf8), file: "sortie.json").flatMap { root in
            ConfigurationReader.read(root, file: "sortie.json")
        }
    }

    private func errors(_ fields: String) -> [Diagnostic] {
        switch read(fields) {
        case .success: []
        case .failure(let faults): faults.list
        }
    }

    @Test(arguments: [
        ("certificate_file: push.p12", Configuration.CertificateFiles(file: "push.p12")),
        (
            "certificate_file: push.pem, certificate_key_file: push.key",
            Configuration.CertificateFiles(file: "push.pem", keyFile: "push.key")
        ),
        (
            "certificate_file: push.p12, password_file: /keys/password",
            Configuration.CertificateFiles(file: "push.p12", passwordFile: "/keys/password")
        ),
    ])
    func aCertificateIsReadInstead(fields: String, files: Configuration.CertificateFiles) throws {
        let checked = try read(fields).get()
        #expect(checked.value.credentials.map(\.proof) == [.certificate(files)])
        #expect(checked.warnings.isEmpty)
    }

    private static let key = "key_file: a.p8, key_id: ABC123DEFG, team_id: DEF123GHIJ"

    @Test(arguments: [
        ("", ["credentials[0].key_file", "credentials[0].key_id", "credentials[0].team_id"]),
        ("\(key), certificate_file: push.p12", ["credentials[0].certificate_file"]),
        ("key_file: a.p8, certificate_file: push.p12", ["credentials[0].certificate_file"]),
        ("team_id: DEF123GHIJ, password_file: p", ["credentials[0].password_file"]),
        ("password_file: p", ["credentials[0].certificate_file"]),
        ("certificate_key_file: k", ["credentials[0].certificate_file"]),
        ("certificate_file: [a]", ["credentials[0].certificate_file"]),
        ("certificate_file: \"a\\nb\"", ["credentials[0].certificate_file"]),
        ("certificate_file: a, password_file: \"\"", ["credentials[0].password_file"]),
        ("certificate_file: a, password: secret", ["credentials[0]"]),
        ("certificate: a.p12, \(key)", ["credentials[0]"]),
    ])
    func exactlyOneKindIsTaken(fields: String, paths: [String]) {
        let errors = errors(fields)
        #expect(errors.map(\.fieldPath) == paths, "\(errors)")
        #expect(!errors.contains { $0.description.contains("secret") })
    }

    @Test(arguments: [
        ("\(key), certificate_file: push.p12", "either a key"),
        ("certificate_file: a, certificateKeyFile: b", "did you mean \"certificate_key_file\"?"),
        ("certificate_file: a, password: secret", "its name as \"password_file\""),
        ("certificate_file: a, passwordFile: b", "did you mean \"password_file\"?"),
    ])
    func adviceFits(fields: String, piece: String) {
        let errors = errors(fields)
        #expect(errors.first?.message.contains(piece) == true, "\(errors)")
    }

    // vapor/apns#47, jchambers/pushy#914: the two ids are swapped, and APNs only says that the
    // provider token is invalid.
    @Test(arguments: [
        "AuthKey_DEF123GHIJ.p8", "/keys/AuthKey_DEF123GHIJ.p8", "\"AuthKey_DEF123GHIJ (1).p8\"",
    ])
    func swappedIdsAreSeenByTheFilesName(file: String) {
        let errors = errors("key_file: \(file), key_id: ABC123DEFG, team_id: DEF123GHIJ")
        #expect(errors.map(\.fieldPath) == ["credentials[0].team_id"])
        #expect(errors.first?.message.contains("are swapped") == true)
    }

    @Test func anotherIdInTheFilesNameIsAWarning() throws {
        let checked = try read(
            "key_file: AuthKey_ZZZ123GHIJ.p8, key_id: ABC123DEFG, team_id: DEF123GHIJ"
        ).get()
        #expect(checked.warnings.map(\.fieldPath) == ["credentials[0].key_id"])
        #expect(checked.warnings.first?.message.contains("says ZZZ123GHIJ") == true)
    }

    /// Names that say nothing: renamed, too short or long, in small letters, elsewhere in the path.
    @Test(arguments: [
        "AuthKey_ABC123DEFG.p8", "key.p8", "AuthKey_DEF123GHI.p8", "AuthKey_DEF123GHIJK.p8",
        "AuthKey_def123ghij.p8", "DEF123GHIJ.p8", "AuthKey_DEF123GHIJ.p8/key.p8",
        "AuthKey_DEF123GHIJ.pem", "AuthKey_.p8", "AuthKey_DEF123GHIJ",
    ])
    func otherNamesProveNothing(file: String) throws {
        let checked = try read(
            "key_file: \(file), key_id: ABC123DEFG, team_id: DEF123GHIJ"
        ).get()
        #expect(checked.warnings.isEmpty)
    }
}
