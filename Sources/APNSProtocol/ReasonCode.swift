/// A reason APNs gave, as a small number that can travel through queues instead of its text.
///
/// 0 says that no reason was given. 1 to 998 are rows of `ReasonTable`; these numbers are never
/// given to another reason. From 1,000 on, a `ReasonRegistry` numbers texts that the table does
/// not know; such a code means something only together with the registry that made it.
package struct ReasonCode: RawRepresentable, Sendable, Hashable {
    /// The number.
    package let rawValue: UInt16

    /// Wraps a number that was made by the table or a registry.
    ///
    /// - Parameter rawValue: The number.
    @inlinable
    package init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// No reason was given, or the answer's body could not be read.
    package static let none = ReasonCode(rawValue: 0)

    /// A reason that came after the registry was full; its own text was not kept.
    package static let unlisted = ReasonCode(rawValue: 999)

    /// The first code a registry gives to a text that the table does not know.
    package static let firstInterned: UInt16 = 1000

    /// Whether a row of `ReasonTable` can belong to the code.
    @inlinable
    package var isKnown: Bool { rawValue > 0 && rawValue < 999 }
}
