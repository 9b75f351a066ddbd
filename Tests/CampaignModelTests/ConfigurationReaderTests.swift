import APNSProtocol
import CampaignModel
import DocumentText
import DocumentTree
import Testing

@Suite struct ConfigurationReaderTests {
    private static let whole = """
        {
          database: "postgresql:///sortie",
          apns: { production: { host: 127.0.0.1, port: 8443, ca_file: simulator-ca.pem } },
          credentials: [
            { app: com.example.shop, key_file: AuthKey_ABC123DEFG.p8, key_id: ABC123DEFG,
              team_id: DEF123GHIJ },
            { app: com.example.shop, environment: sandbox, key_file: /keys/b.p8,
              key_id: BBC123DEFG, team_id: DEF123GHIJ },
          ],
        }
        """

    private func read(
        _ text: String, file: String = "etc/sortie.json"
    ) -> Result<Checked<Configuration>, Diagnostics> {
        DocumentText.parse(Array(text.utf8), file: file).flatMap { root in
            ConfigurationReader.read(root, file: file)
        }
    }

    private func errors(_ text: String) -> [Diagnostic] {
        switch read(text) {
        case .success: []
        case .failure(let faults): faults.list
        }
    }

    @Test func stateFolderAndTuningAreRead() throws {
        let text = """
            { state_folder: /srv/state, tuning: { lease: 30s, slice: 500, window: 100,
              batch: 200, batch_age: 50ms, database_patience: 5m, event_loops: 3 } }
            """
        let configuration = try read(text).get().value
        #expect(configuration.stateFolder == "/srv/state")
        var tuning = Configuration.Tuning()
        #expect(try read("{ }").get().value.tuning == tuning)
        tuning.leaseSeconds = 30
        tuning.slice = 500
        tuning.window = 100
        tuning.batch = 200
        tuning.batchMilliseconds = 50
        tuning.databasePatienceSeconds = 300
        tuning.eventLoops = 3
        #expect(configuration.tuning == tuning)
    }

    @Test(arguments: [
        ("lease", ["4s", "10m"], ["3s", "11m", "4500ms", "15"]),
        ("slice", ["100", "1000000"], ["99", "1000001", "many"]),
        ("window", ["20", "100000"], ["19", "100001"]),
        ("batch", ["100", "50000"], ["99", "50001"]),
        ("batch_age", ["10ms", "5s"], ["9ms", "5001ms"]),
        ("database_patience", ["1s", "1h"], ["999ms", "3601s"]),
        ("event_loops", ["1", "64"], ["0", "65"]),
    ])
    func theBoundsOfTuningHold(field: String, good: [String], bad: [String]) {
        for value in good { #expect(errors("{ tuning: { \(field): \(value) } }").isEmpty) }
        for value in bad {
            let found = errors("{ tuning: { \(field): \(value) } }")
            #expect(found.map(\.fieldPath) == ["tuning.\(field)"], "\(value)")
        }
    }

    @Test func everyFieldIsRead() throws {
        let configuration = try read(Self.whole).get().value
        #expect(configuration.database == "postgresql:///sortie")
        #expect(
            configuration.endpoints == [
                .production: Configuration.Endpoint(
                    host: "127.0.0.1", port: 8443, caFile: "simulator-ca.pem")
            ])
        let production = configuration.credential(app: "com.example.shop", environment: .production)
        #expect(
            production?.proof
                == .key(
                    Configuration.KeyFile(
                        file: "AuthKey_ABC123DEFG.p8", keyID: "ABC123DEFG", teamID: "DEF123GHIJ")))
        let sandbox = configuration.credential(app: "com.example.shop", environment: .sandbox)
        #expect(
            sandbox?.proof
                == .key(
                    Configuration.KeyFile(
                        file: "/keys/b.p8", keyID: "BBC123DEFG", teamID: "DEF123GHIJ")))
        #expect(configuration.credential(app: "com.example", environment: .sandbox) == nil)
    }

    @Test(arguments: [
        ("etc/sortie.json", "etc/a.p8"), ("sortie.json", "./a.p8"), ("/sortie.json", "//a.p8"),
        ("/etc/sortie/sortie.json", "/etc/sortie/a.p8"),
    ])
    func fileNamesAreRelativeToTheFile(file: String, path: String) throws {
        let configuration = try read("{}", file: file).get().value
        #expect(configuration.path(of: "a.p8") == path)
        #expect(configuration.path(of: "/k/a.p8") == "/k/a.p8")
    }

    @Test func anEmptyConfigurationSaysNothing() throws {
        #expect(try read("{}").get().value == Configuration(directory: "etc"))
    }

    @Test(arguments: [
        ("{}", HeaderEncoder.own), ("apns: {}", .own), ("apns: { header_encoder: own }", .own),
        ("apns: { header_encoder: nghttp2 }", .nghttp2),
    ])
    func theHeaderEncoderIsOurOwnUnlessSaidOtherwise(
        text: String, encoder: HeaderEncoder
    ) throws {
        #expect(try read(text).get().value.headerEncoder == encoder)
    }

    @Test(arguments: [
        ("databse: x", "", "did you mean \"database\"?"),
        (
            "apns: { prod: {} }", "apns",
            "the fields in \"apns\" are production, sandbox, "
                + "header_encoder"
        ),
        ("apns: { header_encoder: other }", "apns.header_encoder", "own or nghttp2"),
        ("apns: { sandbox: { port: 0 } }", "apns.sandbox.port", "from 1 to 65535"),
        ("apns: { sandbox: { port: 65536 } }", "apns.sandbox.port", "from 1 to 65535"),
        ("apns: { sandbox: { host: \"https://x\" } }", "apns.sandbox.host", "a host name"),
        ("credentials: [x]", "credentials[0]", "write fields in braces"),
        (
            "credentials: [{ app: com.example.shop, key_file: a, key_id: ABC123DEFG }]",
            "credentials[0].team_id", "this field is missing"
        ),
        (
            "credentials: [{ app: com.example.shop, key_file: a, key_id: ABC123DEF, "
                + "team_id: DEF123GHIJ }]", "credentials[0].key_id", "10 capital letters"
        ),
        (
            "credentials: [{ app: com.example.shop, key_file: a, key_id: ABC123DEFG, "
                + "team_id: ABC123DEFG }]", "credentials[0].team_id", "the team's id is another"
        ),
        (
            "credentials: [{ app: com.example.shop, key_file: \"-----BEGIN PRIVATE KEY-----\", "
                + "key_id: ABC123DEFG, team_id: DEF123GHIJ }]", "credentials[0].key_file",
            "write the name of the file"
        ),
        (
            "credentials: [{ app: com.example.shop, keyFile: a, key_id: ABC123DEFG, "
                + "team_id: DEF123GHIJ }]", "credentials[0]", "did you mean \"key_file\"?"
        ),
    ])
    func whatIsWrongIsTold(text: String, path: String, piece: String) {
        let errors = errors(text)
        #expect(errors.map(\.fieldPath) == [path], "\(errors)")
        #expect(errors.first?.message.contains(piece) == true, "\(errors)")
    }

    @Test(
        arguments: [
            ("http://proxy.example:3128", "proxy.example", 3128),
            ("HTTP://10.0.0.1:80/", "10.0.0.1", 80),
            ("http://[2001:db8::1]:65535", "2001:db8::1", 65535),
        ] as [(String, String, UInt16)])
    func aProxyIsRead(url: String, host: String, port: UInt16) throws {
        let configuration = try read("apns: { sandbox: { proxy: \"\(url)\" } }").get().value
        #expect(
            configuration.endpoints[.sandbox]?.proxy
                == Configuration.Proxy(host: host, port: port))
        #expect(configuration.endpoints[.production] == nil)
    }

    @Test(arguments: [
        ("proxy.example:3128", "write http://HOST:PORT"), ("http://proxy.example", "write http://"),
        ("http://proxy.example:", "write http://"), ("http://:3128", "write http://"),
        ("http://proxy.example:0", "write http://"),
        ("http://proxy.example:65536", "write http://"),
        ("http://proxy.example:+80", "write http://"),
        ("http://proxy.example:80/x", "write http://"),
        ("http://2001:db8::1:3128", "write http://"), ("http://a b:3128", "write http://"),
        ("http://proxy.example:3128?x", "write http://"),
        ("https://proxy.example:3128", "only HTTP proxies"),
        ("socks5://proxy.example:1080", "only HTTP proxies"),
    ])
    func whatIsNoProxyIsRefused(url: String, piece: String) {
        let errors = errors("apns: { sandbox: { proxy: \"\(url)\" } }")
        #expect(errors.map(\.fieldPath) == ["apns.sandbox.proxy"])
        #expect(errors.first?.message.contains(piece) == true, "\(errors)")
    }

    @Test(arguments: ["http://user:geheim@proxy.example:3128", "geheim@proxy.example"])
    func aPasswordForAProxyIsRefusedAndNotShown(url: String) {
        let errors = errors("apns: { production: { proxy: \"\(url)\" } }")
        #expect(errors.first?.message.contains("do not belong here") == true, "\(errors)")
        #expect(!errors.contains { $0.description.contains("geheim") })
    }

    @Test func aCredentialGivenTwiceIsRefused() {
        let credential =
            "{ app: com.example.shop, key_file: a, key_id: ABC123DEFG, team_id: DEF123GHIJ }"
        let errors = errors("credentials:\n- \(credential)\n- \(credential)\n")
        #expect(errors.map(\.fieldPath) == ["credentials[1]"])
        #expect(errors.first?.message.contains("first at line 2, column 3") == true)
    }

    @Test(arguments: ["[secret]", "{ password: secret }", "\"\"", "null", "“secret”"])
    func noMessageShowsTheConnectionString(database: String) {
        let errors = errors("database: \(database)")
        #expect(!errors.isEmpty)
        #expect(!errors.contains { $0.description.contains("secret") })
    }
}
