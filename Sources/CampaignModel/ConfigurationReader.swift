internal import APNSProtocol
package import DocumentTree

/// Turns the tree of a configuration file into a ``Configuration``, or into everything that is
/// wrong with it.
///
/// No message shows the connection string, which may hold a password.
package enum ConfigurationReader {
    /// Reads a configuration.
    ///
    /// - Parameters:
    ///   - root: the document's root.
    ///   - file: the file as the user named it; its folder becomes
    ///     ``Configuration/directory``.
    /// - Returns: the configuration with warnings; or all errors and warnings in file order.
    package static func read(
        _ root: DocumentNode, file: String
    ) -> Result<Checked<Configuration>, Diagnostics> {
        let collector = DiagnosticCollector(file: file)
        let section = FieldSection(root: root, catalog: .configuration, collector: collector)
        section.checkNames()
        let configuration = Configuration(
            directory: directory(of: file), database: section["database"].flatMap(connection),
            endpoints: endpoints(section.section("apns")),
            credentials: credentials(section["credentials"]))
        return collector.result(configuration)
    }

    private static func directory(of file: String) -> String {
        guard let slash = file.lastIndex(of: "/") else { return "." }
        return slash == file.startIndex ? "/" : String(file[..<slash])
    }

    private static func connection(_ value: FieldValue) -> String? {
        guard case .scalar = value.node.content else {
            value.fail("write a libpq connection string in quotes")
            return nil
        }
        return value.text()
    }

    private static func endpoints(
        _ section: FieldSection?
    ) -> [APNSEnvironment: Configuration.Endpoint] {
        guard let section else { return [:] }
        section.checkNames()
        var endpoints: [APNSEnvironment: Configuration.Endpoint] = [:]
        for environment in APNSEnvironment.allCases {
            guard let fields = section.section(environment.rawValue) else { continue }
            fields.checkNames()
            endpoints[environment] = Configuration.Endpoint(
                host: fields["host"].flatMap(host),
                port: fields.count("port", 1...65_535).map { UInt16($0) },
                caFile: fields["ca_file"].flatMap(fileName))
        }
        return endpoints
    }

    private static func host(_ value: FieldValue) -> String? {
        guard let host = value.text() else { return nil }
        let isPlain = host.utf8.allSatisfy { byte in
            byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "/") && byte != UInt8(ascii: "@")
        }
        guard isPlain, host.utf8.count <= 255 else {
            value.failKind("a host name or an IP address alone, such as 127.0.0.1")
            return nil
        }
        return host
    }

    private static func fileName(_ value: FieldValue) -> String? {
        guard let name = value.text() else { return nil }
        guard !name.contains("-----BEGIN"), !name.contains("\n") else {
            value.fail("write the name of the file, not what is in it")
            return nil
        }
        return name
    }

    private static func credentials(_ value: FieldValue?) -> [Configuration.Credential] {
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
        let keyFile = section.required("key_file", example: "AuthKey_ABC123DEFG.p8")
            .flatMap(fileName)
        let keyID = section.required("key_id", example: "ABC123DEFG").flatMap(identifier)
        let teamID = section.required("team_id", example: "DEF123GHIJ").flatMap(identifier)
        if let keyID, keyID == teamID {
            section["team_id"]?.fail("this is the key's id; the team's id is another")
        }
        guard let app, let keyFile, let keyID, let teamID else { return nil }
        return Configuration.Credential(
            app: app, environment: environment, keyFile: keyFile, keyID: keyID, teamID: teamID)
    }

    private static func identifier(_ value: FieldValue) -> String? {
        guard let text = value.text() else { return nil }
        let isID = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard isID, text.utf8.count == APNSLimits.keyIDLength else {
            value.failKind(
                "the \(APNSLimits.keyIDLength) capital letters and digits that Apple shows")
            return nil
        }
        return text
    }
}

extension FieldCatalog {
    /// The fields of a configuration file.
    static let configuration = FieldCatalog(
        sections: [
            Section(
                name: "", spoken: "at the top level",
                fields: ["database", "apns", "credentials"]),
            Section(name: "apns", fields: ["production", "sandbox"]),
            Section(name: "apns.production", fields: ["host", "port", "ca_file"]),
            Section(name: "apns.sandbox", fields: ["host", "port", "ca_file"]),
            Section(
                name: "credentials[*", spoken: "in \"credentials\"",
                fields: ["app", "environment", "key_file", "key_id", "team_id"]),
        ],
        advices: [
            "key": "write the name of the .p8 file as \"key_file\"",
            "bundleid": "the bundle id is \"app\" in \"credentials\"",
            "topic": "the bundle id is \"app\" in \"credentials\"",
            "cafile": "the authorities are \"ca_file\" in \"apns\", for an environment",
        ])
}
