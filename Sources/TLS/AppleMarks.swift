/// The environments that Apple marked a push certificate for.
///
/// Each mark is an extension whose value is the DER of NULL; only its presence means something. A
/// certificate of the kind "Sandbox & Production" has both.
package struct AppleMarks: OptionSet, Sendable {
    /// One bit for each mark.
    package let rawValue: UInt8

    /// The marks of these bits.
    ///
    /// - Parameter rawValue: one bit for each mark.
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Extension 1.2.840.113635.100.6.3.1: builds of developers.
    package static let sandbox = AppleMarks(rawValue: 1)
    /// Extension 1.2.840.113635.100.6.3.2: App Store and TestFlight.
    package static let production = AppleMarks(rawValue: 2)

    static let all: [(mark: AppleMarks, objectIdentifier: String)] = [
        (.sandbox, "1.2.840.113635.100.6.3.1"), (.production, "1.2.840.113635.100.6.3.2"),
    ]

    /// The value of each: NULL.
    static let der: [UInt8] = [0x05, 0x00]
}
