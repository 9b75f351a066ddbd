package import SendPolicy

/// The recipients of the main send that go first, spread over the audience; the rest follows only
/// if APNs takes theirs.
package struct Canary: Sendable, Equatable {
    /// How many go first; nil where the file leaves it open.
    package let recipients: Int?
    /// The share of rejections among their answers above which the rest is not sent.
    package let rejectedShare: Share

    /// How many go first where the file leaves it open: enough to see one rejection in a hundred
    /// five times over, and no more than a third of a second of a usual send.
    package static let usualRecipients = 500
    /// In an audience of this size or less, where the file leaves it open, nobody goes first: the
    /// canary would be a good part of it, and the other brakes see as much.
    package static let smallAudience = 2000

    /// A canary.
    ///
    /// - Parameters:
    ///   - recipients: 0 for no canary; nil decides by the audience.
    ///   - rejectedShare: 0 to 1.
    package init(recipients: Int? = nil, rejectedShare: Share = .percent(10)) {
        self.recipients = recipients
        self.rejectedShare = rejectedShare
    }

    /// The ordinals that go first.
    ///
    /// They lie evenly over the audience, from its first recipient on: recipients are frozen in
    /// the order of their devices, so the first rows would be the oldest installations only.
    ///
    /// - Parameter audience: recipients, whose ordinals are 1 to `audience`.
    /// - Returns: ascending; empty if there is no canary, also where it would be everybody.
    package func ordinals(audience: Int) -> [Int32] {
        let usual = audience > Self.smallAudience ? Self.usualRecipients : 0
        let count = recipients ?? usual
        guard count > 0, count < audience else { return [] }
        return (0..<count).map { Int32($0 * audience / count) + 1 }
    }
}
