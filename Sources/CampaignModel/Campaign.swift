package import APNSProtocol

/// What a campaign file defines: who gets which message, how carefully and how fast.
///
/// A value of this type has passed every rule of the file when it comes from ``CampaignReader``.
package struct Campaign: Sendable, Equatable {
    /// The longest campaign name in bytes: the name must fit into `apns-collapse-id`.
    package static let nameBytesMax = APNSLimits.collapseIDBytesMax

    /// The campaign's name: ASCII letters, digits, `-`, `_` and `.`, at most 64.
    package let name: String
    /// The app's bundle id, sent as `apns-topic`.
    package let app: String
    /// The world of Apple's service that the device tokens belong to.
    package let environment: APNSEnvironment
    /// Whom the campaign addresses.
    package let audience: Audience
    /// What the recipients get.
    package let message: Message
    /// The low-priority pass over the tokens before the main send.
    package let preflight: Preflight
    /// How the main send is done.
    package let send: SendSettings
    /// When it is to start; nil: whenever it is started.
    package let schedule: Schedule?

    /// A campaign; what is left out has the file's defaults.
    ///
    /// - Parameters:
    ///   - name: ASCII letters, digits, `-`, `_` and `.`, at most 64.
    ///   - app: the bundle id.
    ///   - environment: where the device tokens belong.
    ///   - audience: whom the campaign addresses.
    ///   - message: what the recipients get.
    ///   - preflight: the pass before the main send.
    ///   - send: how the main send is done.
    ///   - schedule: when it is to start; nil: whenever it is started.
    package init(
        name: String, app: String, environment: APNSEnvironment, audience: Audience = Audience(),
        message: Message, preflight: Preflight = Preflight(), send: SendSettings = SendSettings(),
        schedule: Schedule? = nil
    ) {
        self.name = name
        self.app = app
        self.environment = environment
        self.audience = audience
        self.message = message
        self.preflight = preflight
        self.send = send
        self.schedule = schedule
    }

    /// The value of `apns-collapse-id`, at most 64 bytes; nil: the header is left out.
    package var collapseID: String? {
        switch message.collapse {
        case .none: nil
        case .campaign: name
        case .text(let text): text
        }
    }
}

/// Whom a campaign addresses: all active devices of its app and environment that pass every rule.
package struct Audience: Sendable, Equatable {
    /// Language tags in normal form (``LocaleTag``), of which one must be a prefix of the
    /// device's; empty: devices of every locale.
    package let locales: [String]
    /// The app must have registered the token within so many seconds; nil: whenever.
    package let registeredWithinSeconds: Int64?
    /// A condition in SQL over the device table; nil: none.
    package let whereSQL: String?

    /// An audience; without arguments it is everybody.
    ///
    /// - Parameters:
    ///   - locales: language tags in normal form; empty: every locale.
    ///   - registeredWithinSeconds: how recent the last registration must be; nil: whenever.
    ///   - whereSQL: a condition in SQL; nil: none.
    package init(
        locales: [String] = [], registeredWithinSeconds: Int64? = nil, whereSQL: String? = nil
    ) {
        self.locales = locales
        self.registeredWithinSeconds = registeredWithinSeconds
        self.whereSQL = whereSQL
    }
}
