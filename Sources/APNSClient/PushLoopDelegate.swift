package import APNSProtocol

/// Where a ``PushLoop`` reports. Every function is called on the loop's thread and must not block.
package protocol PushLoopDelegate: AnyObject {
    /// One entry has ended. Called exactly once for each entry of each batch handed to the loop.
    func pushEnded(_ entry: PushEntry, of batch: PushBatch, _ answer: PushAnswer, _ end: PushEnd)

    /// A turn of the loop is over: the place to hand collected results on.
    ///
    /// - Parameters:
    ///   - submitted: how many requests this turn put on connections.
    ///   - nowNanoseconds: the turn's monotonic time.
    func loopTurnEnded(submitted: Int, nowNanoseconds: Int64)

    /// How long open requests are waited for if nothing more is to be submitted from now on; nil to
    /// go on. Read once a turn, before anything is submitted.
    var stopDrainNanoseconds: Int64? { get }

    /// Something an operator may ask about afterwards: a connection opened, a GOAWAY came.
    func loopNoted(_ note: LoopNote)

    /// The loop can't go on: it submits nothing more and waits for
    /// ``PushClient/stop(drainNanoseconds:)``; every entry ends as not sent or unknown.
    func loopFailed(_ failure: LoopFailure)

    /// Text of a reason that APNSProtocol's table does not know, told once, before its first use.
    func loopMetReason(_ code: ReasonCode, text: String)
}

/// An event in a connection's life.
package struct LoopNote: Sendable {
    /// What kind of event.
    package enum Kind: String, Sendable {
        /// TLS and HTTP/2 are up.
        case opened = "connection opened"
        /// No new requests go there; open ones are waited for.
        case draining = "connection draining"
        /// No connection came about, at one address or at all.
        case attemptFailed = "connection attempt failed"
        /// The connection ended.
        case closed = "connection closed"
        /// The peer announced the end of the connection.
        case goAway = "GOAWAY"
        /// The peer changed how many streams it allows.
        case streamLimit = "stream limit"
        /// The server's clock differs from this machine's.
        case clock = "clock"
        /// The connection's pace fell.
        case pace = "pace"
        /// A new provider token was made.
        case tokenRenewed = "provider token renewed"
    }

    /// What kind of event.
    package let kind: Kind
    /// The connection's number, from 1.
    package let connection: Int
    /// A sentence; no token, payload or key is in it.
    package let text: String
}

/// Why a loop gave up.
package enum LoopFailure: Sendable, Equatable {
    /// No connection could be opened, or all were lost and none came back.
    case unreachable(String)
    /// The server's certificate was not accepted.
    case untrusted(String)
    /// APNs refuses the credentials at connection level.
    case credentials(String)
}
