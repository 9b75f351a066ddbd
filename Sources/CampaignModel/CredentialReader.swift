internal import APNSProtocol
internal import DocumentTree

/// Reads the list `credentials` of a configuration file.
///
/// An entry is either a key (`key_file`, `key_id`, `team_id`) or a client certificate
/// (`certificate_file`, perhaps with `certificate_key_file` and `password_file`), never both.
enum CredentialReader {
    private static let certificateFields = [
        "certificate_file", "certificate_key_file", "password_file",
    ]
    private static let keyFields = ["key_file", "key_id", "team_id"]

    static func credentials(_ value: FieldValue?) -> [Configuration.Credential] {
        var seen: [String: SourcePlace] = [:]
        return (value?.items() ?? []).compactMap { item in
            guard let section = item.section(named: "credentials[*") else { return nil }
            guard let credential = credential(section) else { return nil }
            let environment = credential.environment?.rawValue ?? "both environments"
            let key = "\(credential.app) in \(environment)"
            if let first = seen[key] {
                item.fail("\(key) is given twice, first at \(first); keep one")
            }
            seen[key] = section.place
            return credential
        }
    }

    private static func credential(_ section: FieldSection) -> Configuration.Credential? {
        section.checkNames()
        let app = section.required("app", example: "com.example.shop")
            .flatMap(CampaignReader.bundleID)
        let environment = section["environment"]?.choice(APNSEnvironment.self)
        guard let proof = proof(section), let app else { return nil }
        return Configuration.Credential(app: app, environment: environment, proof: proof)
    }

    private static func proof(_ section: FieldSection) -> Configuration.Credential.Proof? {
        let certificate = certificateFields.compactMap { section[$0] }
        if let first = certificate.first, keyFields.contains(where: { section[$0] != nil }) {
            first.fail(
                "a credential is either a key (key_file, key_id, team_id) or a certificate "
                    + "(certificate_file); remove one of them")
            return nil
        }
        return certificate.isEmpty
            ? key(section).map { .key($0) } : certificateFiles(section).map { .certificate($0) }
    }

    // MARK: - A certificate

    private static func certificateFiles(
        _ section: FieldSection
    ) -> Configuration.CertificateFiles? {
        let file = section.required("certificate_file", example: "push.p12")
            .flatMap(FileName.read)
        let keyFile = section["certificate_key_file"].flatMap(FileName.read)
        let passwordFile = section["password_file"].flatMap(FileName.read)
        guard let file else { return nil }
        return Configuration.CertificateFiles(
            file: file, keyFile: keyFile, passwordFile: passwordFile)
    }

    // MARK: - A key

    private static func key(_ section: FieldSection) -> Configuration.KeyFile? {
        let file = section.required("key_file", example: "AuthKey_ABC123DEFG.p8")
            .flatMap(FileName.read)
        let keyID = section.required("key_id", example: "ABC123DEFG").flatMap(identifier)
        let teamID = section.required("team_id", example: "DEF123GHIJ").flatMap(identifier)
        if let keyID, keyID == teamID {
            section["team_id"]?.fail("this is the key's id; the team's id is another")
        } else if let file, let keyID, let teamID {
            compare(section, keyIDInName: FileName.keyID(in: file), keyID: keyID, teamID: teamID)
        }
        guard let file, let keyID, let teamID else { return nil }
        return Configuration.KeyFile(file: file, keyID: keyID, teamID: teamID)
    }

    /// Apple names the file after the key. The two ids look alike, and swapping them is the most
    /// common cause of InvalidProviderToken (vapor/apns#47, jchambers/pushy#914).
    private static func compare(
        _ section: FieldSection, keyIDInName named: String?, keyID: String, teamID: String
    ) {
        guard let named, named != keyID else { return }
        if named == teamID {
            section["team_id"]?.fail(
                "this is the key's id, by the name of the key's file; key id and team id are "
                    + "swapped")
        } else {
            guard let value = section["key_id"] else { return }
            value.collector.warning(
                value.node.place, value.path,
                "the name of the key's file says \(named), and this is another id; if the file "
                    + "was not renamed, write \(named)")
        }
    }

    private static func identifier(_ value: FieldValue) -> String? {
        guard let text = value.text() else { return nil }
        guard FileName.isKeyID(text) else {
            value.failKind(
                "the \(APNSLimits.keyIDLength) capital letters and digits that Apple shows")
            return nil
        }
        return text
    }
}
