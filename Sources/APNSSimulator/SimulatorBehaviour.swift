// The seam for everything that a connection may do besides judging. The simulator asks the
// connection's behaviour when a request is complete and judged, and when an answer was given. The
// behaviour answers with values; the connection acts.
//
//     request complete, judged ──► treatment(of:)  ──► reply now, later, otherwise, or never;
//                                                     then perhaps a step of the connection
//     answer given ──► step(afterStatus:...)

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
    /// - Parameters:
    ///   - status: Its status.
    ///   - isCredentialAccepted: Whether the request's credential was good.
    /// - Returns: What the connection does now.
    func step(afterStatus status: Int, isCredentialAccepted: Bool) -> ConnectionStep
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
}

/// How one request is treated.
package struct RequestTreatment: Sendable, Equatable {
    /// What becomes of the request itself.
    package enum Reply: Sendable, Equatable {
        /// It is answered as the judge ruled.
        case judged
        /// It is answered with this status and reason; an empty reason sends no body.
        case answer(status: Int, reason: String)
        /// It is never answered.
        case ignored
        /// Its stream is reset with this code (RFC 9113, section 7).
        case reset(code: UInt32)
    }

    /// What becomes of the request.
    package var reply: Reply
    /// How much later than otherwise it is answered, in nanoseconds.
    package var delayNanoseconds: Int64
    /// What the connection does right after taking the request.
    package var step: ConnectionStep

    /// Names the treatment; by default the judge has its way.
    ///
    /// - Parameters:
    ///   - reply: What becomes of the request.
    ///   - delayNanoseconds: 0 or more.
    ///   - step: What the connection does.
    package init(
        reply: Reply = .judged, delayNanoseconds: Int64 = 0, step: ConnectionStep = .none
    ) {
        self.reply = reply
        self.delayNanoseconds = delayNanoseconds
        self.step = step
    }
}

/// Something that a connection does of itself.
package enum ConnectionStep: Sendable, Equatable {
    /// Nothing.
    case none
    /// New SETTINGS: so many streams may be open from now on.
    case streamLimit(UInt32)
    /// GOAWAY; streams above `lastStreamID` are not taken any more. nil names the last stream that
    /// arrived: with requests under way that may be one that is not complete yet.
    case goAway(lastStreamID: Int32?, errorCode: UInt32, debugData: [UInt8])
    /// The connection is cut without a word, right after the answers given before. No request that
    /// is not answered by then is.
    case drop
}
