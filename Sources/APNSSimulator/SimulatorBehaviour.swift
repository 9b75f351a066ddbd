// The seam for everything that a connection may do besides judging. The simulator asks the
// connection's behaviour when a request is complete and judged, and when an answer was given. The
// behaviour answers with values; the connection acts. A behaviour that acts by the clock names its
// next moment and is called at it.
//
//     connection opened ──► opened(nowNanoseconds:)
//     request complete, judged ──► treatment(of:)  ──► reply now, later, otherwise, or never;
//                                                     then perhaps a step of the connection
//     answer given ──► step(after:)
//     its next moment ──► step(nowNanoseconds:)

/// Makes the behaviour of each connection.
package protocol SimulatorScript: Sendable {
    /// Streams that the first SETTINGS of every connection allow.
    var streamLimitAtOpening: UInt32 { get }

    /// A new connection.
    ///
    /// - Parameter number: 1 for the first connection of the simulator, and so on.
    /// - Returns: Its behaviour, used on one thread only.
    func behaviour(forConnection number: Int) -> any SimulatorBehaviour
}

/// Decides what one connection does.
///
/// Loop-bound: called on the connection's thread only. Called for every request, so it should not
/// allocate where nothing special happens.
package protocol SimulatorBehaviour: AnyObject {
    /// A request is complete and judged.
    ///
    /// - Parameter request: What the judge found.
    /// - Returns: How to treat it.
    func treatment(of request: ArrivedRequest) -> RequestTreatment

    /// An answer was handed to the connection.
    ///
    /// - Parameter answer: What was answered.
    /// - Returns: What the connection does now.
    func step(after answer: GivenAnswer) -> ConnectionStep

    /// TLS and HTTP/2 are agreed. By default nothing follows.
    ///
    /// - Parameter nowNanoseconds: The present, monotonic.
    /// - Returns: What the connection does now.
    func opened(nowNanoseconds: Int64) -> ConnectionStep

    /// When `step(nowNanoseconds:)` is to be called next; nil, the default: not by the clock.
    var nextNanoseconds: Int64? { get }

    /// The moment has come, or has passed a little while ago.
    ///
    /// - Parameter nowNanoseconds: The present, monotonic.
    /// - Returns: What the connection does now.
    func step(nowNanoseconds: Int64) -> ConnectionStep
}

extension SimulatorBehaviour {
    /// Nothing follows on opening.
    package func opened(nowNanoseconds: Int64) -> ConnectionStep { .none }

    /// Nothing is done by the clock.
    package var nextNanoseconds: Int64? { nil }

    /// Nothing is done by the clock.
    package func step(nowNanoseconds: Int64) -> ConnectionStep { .none }
}

/// An answer as a behaviour sees it, right after it was given.
package struct GivenAnswer: Sendable, Equatable {
    /// The status.
    package let status: Int
    /// The reason as it stands on the wire; empty for none.
    package let reason: String
    /// Whether the request's credential was good.
    package let isCredentialAccepted: Bool

    /// Names the answer.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - reason: Empty for none.
    ///   - isCredentialAccepted: Whether the request's credential was good.
    package init(status: Int, reason: String, isCredentialAccepted: Bool) {
        self.status = status
        self.reason = reason
        self.isCredentialAccepted = isCredentialAccepted
    }
}

/// A request as a behaviour sees it; valid during the call.
package struct ArrivedRequest {
    private let slots: RequestSlots
    private let index: Int
    /// 1 for the connection's first complete request, and so on.
    package let number: Int
    /// What the judge found.
    package let ruling: Ruling

    init(slots: RequestSlots, index: Int, number: Int) {
        self.slots = slots
        self.index = index
        self.number = number
        ruling = slots[index].ruling
    }

    /// The stream's number.
    package var streamID: Int32 { slots[index].streamID }
    /// Send or probe.
    package var kind: PushKind { slots[index].kind }
    /// The hash of the token under the seed of the fates.
    package var tokenHash: UInt64 { slots[index].tokenHash }
    /// The token as it stood in the path; allocates.
    package var token: String { String(decoding: slots[index].intake.token, as: UTF8.self) }

    /// Whether the token begins with these bytes; lower-case digits, the token's case plays no
    /// part.
    func tokenBegins(with prefix: [UInt8]) -> Bool {
        let token = slots[index].intake.token
        guard token.count >= prefix.count else { return false }
        // Bit 5 makes A-F into a-f and leaves 0-9 as they are.
        return zip(token, prefix).allSatisfy { $0 | 0x20 == $1 }
    }
}
