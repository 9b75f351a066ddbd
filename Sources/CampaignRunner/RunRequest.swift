package import APNSClient
package import APNSProtocol
package import CampaignModel
package import SendPolicy
package import TLS

/// What to run, and with what.
package struct RunRequest: Sendable {
    /// The campaign, read and valid.
    package var campaign: Campaign
    /// The campaign file's bytes: kept with the run, and compared when it is resumed.
    package var definition: [UInt8]
    /// The name of this execution; the same occurrence never runs twice.
    package var occurrence: String
    /// Whether the whole campaign runs, or only its preflight.
    package var kind: RunKind
    /// The libpq connection string.
    package var database: String
    /// APNs, or what stands in for it.
    package var endpoint: PushEndpoint
    /// Who started it, for the record.
    package var startedBy: String
    /// The program's version, for the record.
    package var version: String
    /// Brakes that are off for this start.
    package var releasedBrakes: Set<BrakeName> = []
    /// Whether it is sent even if its start was missed.
    package var allowsLate = false
    /// The campaign file as the operator named it, for messages.
    package var fileName = "campaign file"
    /// Whether the endpoint only stands in for APNs: the run is marked so and changes no device.
    package var isRehearsal = false
    /// How this process comes to the run.
    package var entry = RunEntry.open
    /// The sizes and times of the record protocol.
    package var tuning = RunTuning()
    /// Reads the credentials again, when a signal asks for it; nil: that is not possible.
    package var reloaded: (@Sendable () -> PushEndpoint?)?
    /// The world around the run.
    package var surroundings: any RunSurroundings = SystemSurroundings()

    /// A request of these parts.
    package init(
        campaign: Campaign, definition: [UInt8], occurrence: String, kind: RunKind,
        database: String, endpoint: PushEndpoint, startedBy: String,
        version: String
    ) {
        self.campaign = campaign
        self.definition = definition
        self.occurrence = occurrence
        self.kind = kind
        self.database = database
        self.endpoint = endpoint
        self.startedBy = startedBy
        self.version = version
    }
}

/// How a process comes to a run.
package enum RunEntry: Sendable, Equatable {
    /// It creates the run or takes it up again, if nobody is at work on it.
    case open
    /// The same, also if a person has paused it.
    case resume
    /// It helps with a run that is under way.
    case join(runID: Int64)
}

/// Where pushes go and how they are authorized.
package struct PushEndpoint: Sendable {
    /// The host, which its certificate must name.
    package var host: String
    /// The port.
    package var port: UInt16
    /// The proxy to go through; nil: straight there.
    package var proxy: PushProxy?
    /// The TLS settings.
    package var tls: TLSContext
    /// What proves to APNs who is sending.
    package var credential: PushCredential
    /// The bounds of each connection's waits.
    package var limits = ConnectionLimits()
    /// Who encodes the header blocks of requests.
    package var headerEncoder = HeaderEncoder.own

    /// An endpoint of these parts.
    package init(
        host: String, port: UInt16, proxy: PushProxy? = nil, tls: TLSContext,
        credential: PushCredential
    ) {
        self.host = host
        self.port = port
        self.proxy = proxy
        self.tls = tls
        self.credential = credential
    }
}

/// What proves to APNs who is sending: a provider token in each request, or a client certificate.
///
/// A struct rather than an enum of the two, because such an enum keeps its tag in a pointer's spare
/// bits, where LeakSanitizer no longer sees the pointer.
package struct PushCredential: Sendable {
    /// The token's source; nil: requests carry no token.
    let provider: ProviderCredential?
    /// What to look at when APNs refuses it, as the beginning of a sentence.
    let spoken: String

    /// A provider token in each request.
    ///
    /// - Parameter provider: the token's source.
    /// - Returns: the credential.
    package static func token(_ provider: ProviderCredential) -> PushCredential {
        let identity = provider.identity
        return PushCredential(
            provider: provider, spoken: "Key id \(identity.keyID), team id \(identity.teamID)")
    }

    /// A client certificate, shown when a connection opens; the endpoint's TLS settings hold it.
    ///
    /// - Parameter facts: what the certificate says of itself.
    /// - Returns: the credential.
    package static func certificate(_ facts: CertificateFacts) -> PushCredential {
        PushCredential(
            provider: nil,
            spoken: "Certificate \(facts.subject), valid until \(facts.lastDay)")
    }
}

/// How much of a campaign a run carries out.
package enum RunKind: Sendable, Equatable {
    /// Preflight and main send.
    case campaign
    /// The preflight only.
    case probe
}
