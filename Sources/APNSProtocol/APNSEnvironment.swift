/// The two worlds of Apple's push service; a device token belongs to exactly one of them.
///
/// *Source:* Apple, "Sending notification requests to APNs".
package enum APNSEnvironment: String, Sendable, CaseIterable {
    /// Builds from the App Store, TestFlight and ad hoc distribution.
    case production
    /// Builds that Xcode installs for development.
    case sandbox

    /// The host name that Apple documents for the environment.
    package var defaultHost: String {
        switch self {
        case .production: "api.push.apple.com"
        case .sandbox: "api.sandbox.push.apple.com"
        }
    }

    /// The port used unless the configuration names another (Apple also answers on 2197).
    package static let defaultPort: UInt16 = 443

    /// The other environment: the one to look at when every token is refused as bad.
    package var other: APNSEnvironment {
        switch self {
        case .production: .sandbox
        case .sandbox: .production
        }
    }
}
