/// How many requests one connection may have open.
///
/// The smallest of three limits counts:
/// - our own;
/// - the peer's SETTINGS_MAX_CONCURRENT_STREAMS, which changes at any time, also to 1 and to 0
///   (a pause). Before the first SETTINGS arrives nothing may be opened: guessing brings refusals;
/// - with a provider token, 1 until the first good answer, because APNs checks the token first.
///
/// *Source:* Apple, "Sending notification requests to APNs"; RFC 9113, section 5.1.2.
package struct StreamWindow: Sendable, Equatable {
    /// The most requests we want open at once.
    @usableFromInline package let ownMax: Int
    /// The peer's limit; 0 before the first SETTINGS.
    @usableFromInline package var peerMax: Int
    /// Whether the peer has taken our credentials, or need not.
    @usableFromInline package var isTrusted: Bool

    /// A window of a connection that has just been opened; closed until SETTINGS arrives.
    ///
    /// - Parameters:
    ///   - ownMax: The most requests we want open at once, at least 1.
    ///   - tokenAuthenticated: Whether a provider token speaks for us, not a client certificate.
    package init(ownMax: Int, tokenAuthenticated: Bool) {
        precondition(ownMax > 0, "A connection needs room for one request.")
        self.ownMax = ownMax
        peerMax = 0
        isTrusted = !tokenAuthenticated
    }

    /// SETTINGS arrived.
    ///
    /// - Parameter limit: The peer's limit; `UInt32.max` if it names none.
    @inlinable
    package mutating func peerAllows(_ limit: UInt32) {
        peerMax = Int(limit)
    }

    /// An answer arrived that shows the provider token was taken: a 200, or a refusal that speaks
    /// of the device.
    @inlinable
    package mutating func answeredWell() {
        isTrusted = true
    }

    /// The most requests that may be open now.
    @inlinable
    package var limit: Int {
        min(isTrusted ? ownMax : 1, peerMax)
    }

    /// How many requests may be started now.
    ///
    /// - Parameter open: How many are open; may exceed the limit after the peer lowered it.
    /// - Returns: 0 or more.
    @inlinable
    package func freeSlots(open: Int) -> Int {
        max(0, limit - open)
    }
}
