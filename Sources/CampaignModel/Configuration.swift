package import APNSProtocol

/// What `sortie.json` holds: everything about the machine and the secrets, nothing of a campaign.
package struct Configuration: Sendable, Equatable {
    /// Where a world of Apple's service is reached instead of at Apple's own host.
    package struct Endpoint: Sendable, Equatable {
        /// A host name or an IP address; nil: Apple's.
        package let host: String?
        /// The port; nil: 443.
        package let port: UInt16?
        /// A PEM file of the authorities to trust instead of the system's, as written.
        package let caFile: String?
        /// The HTTP proxy to go through; nil: straight there.
        package let proxy: Proxy?

        /// An endpoint; what is nil stays Apple's.
        ///
        /// - Parameters:
        ///   - host: a host name or an IP address.
        ///   - port: the port.
        ///   - caFile: a PEM file of authorities, as written.
        ///   - proxy: the HTTP proxy to go through.
        package init(
            host: String? = nil, port: UInt16? = nil, caFile: String? = nil, proxy: Proxy? = nil
        ) {
            self.host = host
            self.port = port
            self.caFile = caFile
            self.proxy = proxy
        }
    }

    /// An HTTP proxy that opens tunnels.
    package struct Proxy: Sendable, Equatable {
        /// A host name or an IP address, IPv6 without brackets.
        package let host: String
        /// The port.
        package let port: UInt16

        /// A proxy.
        ///
        /// - Parameters:
        ///   - host: a host name or an IP address, IPv6 without brackets.
        ///   - port: the port.
        package init(host: String, port: UInt16) {
            self.host = host
            self.port = port
        }
    }

    /// What proves to Apple that we may push to an app.
    package struct Credential: Sendable, Equatable {
        /// The two kinds of proof that Apple takes.
        package enum Proof: Sendable, Equatable {
            /// A key that signs provider tokens.
            case key(KeyFile)
            /// A client certificate, shown when a connection opens.
            case certificate(CertificateFiles)
        }

        /// The app's bundle id.
        package let app: String
        /// The world it is used in; nil: both.
        package let environment: APNSEnvironment?
        /// The proof.
        package let proof: Proof

        /// A credential.
        ///
        /// - Parameters:
        ///   - app: the app's bundle id.
        ///   - environment: where it is used; nil: both.
        ///   - proof: the key or the certificate.
        package init(app: String, environment: APNSEnvironment?, proof: Proof) {
            self.app = app
            self.environment = environment
            self.proof = proof
        }
    }

    /// A signing key as Apple hands it out.
    package struct KeyFile: Sendable, Equatable {
        /// The `.p8` file, as written.
        package let file: String
        /// The key's id: ten capital letters and digits.
        package let keyID: String
        /// The team's id: ten capital letters and digits.
        package let teamID: String

        /// A key.
        ///
        /// - Parameters:
        ///   - file: the `.p8` file, as written.
        ///   - keyID: ten capital letters and digits.
        ///   - teamID: ten capital letters and digits.
        package init(file: String, keyID: String, teamID: String) {
            self.file = file
            self.keyID = keyID
            self.teamID = teamID
        }
    }

    /// The files of a client certificate.
    package struct CertificateFiles: Sendable, Equatable {
        /// PEM or PKCS#12 (`.p12`), as written.
        package let file: String
        /// The certificate's key in PEM form, as written; nil: it is in ``file``.
        package let keyFile: String?
        /// A file with the password that opens certificate or key, as written; nil: none is needed.
        package let passwordFile: String?

        /// A client certificate.
        ///
        /// - Parameters:
        ///   - file: PEM or PKCS#12, as written.
        ///   - keyFile: the key in PEM form, as written.
        ///   - passwordFile: holds the password, as written.
        package init(file: String, keyFile: String? = nil, passwordFile: String? = nil) {
            self.file = file
            self.keyFile = keyFile
            self.passwordFile = passwordFile
        }
    }

    /// Sizes and times of a run, where they shall differ from the program's; nil: they do not.
    package struct Tuning: Sendable, Equatable {
        /// How long a worker holds what it has leased without a sign of life, in seconds.
        package var leaseSeconds: Int?
        /// Recipients in a slice.
        package var slice: Int?
        /// Recipients announced and not yet on the wire.
        package var window: Int?
        /// Outcomes of a transaction.
        package var batch: Int?
        /// How long the oldest of them waits, in milliseconds.
        package var batchMilliseconds: Int?
        /// How long a run waits for a database that is away, in seconds.
        package var databasePatienceSeconds: Int?
        /// Threads that send.
        package var eventLoops: Int?

        /// Nothing differs.
        package init() {}
    }

    /// The folder of the file: file names in it are relative to that.
    package let directory: String
    /// A libpq connection string; nil: the `PG…` variables or a private cluster.
    package let database: String?
    /// Where the worlds of Apple's service are reached, if not at Apple's hosts.
    package let endpoints: [APNSEnvironment: Endpoint]
    /// Who encodes the header blocks of requests.
    package let headerEncoder: HeaderEncoder
    /// One for each app, or for each app and world.
    package let credentials: [Credential]
    /// Where files of this machine's runs are kept, as written; nil: a place that follows from the
    /// user.
    package let stateFolder: String?
    /// Sizes and times of a run.
    package let tuning: Tuning

    /// A configuration; without arguments it says nothing.
    ///
    /// - Parameters:
    ///   - directory: the folder that file names are relative to.
    ///   - database: a libpq connection string.
    ///   - endpoints: where the worlds are reached.
    ///   - headerEncoder: who encodes header blocks.
    ///   - credentials: keys and certificates.
    ///   - stateFolder: where files of this machine's runs are kept, as written.
    ///   - tuning: sizes and times of a run.
    package init(
        directory: String = ".", database: String? = nil,
        endpoints: [APNSEnvironment: Endpoint] = [:], headerEncoder: HeaderEncoder = .own,
        credentials: [Credential] = [], stateFolder: String? = nil, tuning: Tuning = Tuning()
    ) {
        self.directory = directory
        self.database = database
        self.endpoints = endpoints
        self.headerEncoder = headerEncoder
        self.credentials = credentials
        self.stateFolder = stateFolder
        self.tuning = tuning
    }

    /// The credential for an app in a world: the one that names the world, else the one for both.
    ///
    /// - Parameters:
    ///   - app: the app's bundle id.
    ///   - environment: the world.
    /// - Returns: nil when the file has none.
    package func credential(app: String, environment: APNSEnvironment) -> Credential? {
        let own = credentials.filter { $0.app == app }
        return own.first { $0.environment == environment } ?? own.first { $0.environment == nil }
    }

    /// A file's path from where the program runs.
    ///
    /// - Parameter written: a file name as written in the configuration.
    /// - Returns: the name itself if it is absolute, else under ``directory``.
    package func path(of written: String) -> String {
        written.hasPrefix("/") ? written : directory + "/" + written
    }
}
