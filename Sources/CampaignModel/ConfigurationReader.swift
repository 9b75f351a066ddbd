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
        let apns = section.section("apns")
        let configuration = Configuration(
            directory: directory(of: file), database: section["database"].flatMap(connection),
            endpoints: endpoints(apns),
            headerEncoder: apns?["header_encoder"]?.choice(HeaderEncoder.self) ?? .own,
            credentials: CredentialReader.credentials(section["credentials"]),
            stateFolder: section["state_folder"].flatMap(FileName.read),
            tuning: TuningReader.tuning(section.section("tuning")))
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
                caFile: fields["ca_file"].flatMap(FileName.read),
                proxy: fields["proxy"].flatMap(ProxyReader.read))
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
}

extension FieldCatalog {
    /// The fields of a configuration file.
    static let configuration = FieldCatalog(
        sections: [
            Section(
                name: "", spoken: "at the top level",
                fields: ["database", "apns", "credentials", "state_folder", "tuning"]),
            Section(name: "apns", fields: ["production", "sandbox", "header_encoder"]),
            Section(name: "apns.production", fields: ["host", "port", "ca_file", "proxy"]),
            Section(name: "apns.sandbox", fields: ["host", "port", "ca_file", "proxy"]),
            Section(
                name: "credentials[*", spoken: "in \"credentials\"",
                fields: [
                    "app", "environment", "key_file", "key_id", "team_id", "certificate_file",
                    "certificate_key_file", "password_file",
                ]),
            Section(name: "tuning", fields: TuningReader.fields),
        ],
        advices: [
            "key": "write the name of the .p8 file as \"key_file\"",
            "bundleid": "the bundle id is \"app\" in \"credentials\"",
            "topic": "the bundle id is \"app\" in \"credentials\"",
            "certificate": "write the name of the .p12 or PEM file as \"certificate_file\"",
            "p12": "write the name of the .p12 or PEM file as \"certificate_file\"",
            "password": "write the password into a file, and its name as \"password_file\"",
            "proxy": "the proxy is \"proxy\" in \"apns\", for an environment",
            "httpsproxy": "the proxy is \"proxy\" in \"apns\", for an environment",
            "cafile": "the authorities are \"ca_file\" in \"apns\", for an environment",
        ])
}
