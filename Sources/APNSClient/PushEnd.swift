package import APNSProtocol

/// What APNs answered to one request, as it came.
package struct PushAnswer: Sendable {
    /// The HTTP status, or 0 if none came.
    package var status: UInt16 = 0
    /// The reason of the body, or `.none`.
    package var reason: ReasonCode = .none
    /// The `timestamp` of a 410 in milliseconds since 1970, or 0 if absent or unreadable.
    package var timestampMilliseconds: Int64 = 0
    /// How long the server wants to be left alone, in seconds; 0 if it did not say.
    package var retryAfterSeconds: UInt32 = 0
    /// The `apns-id` of the answer, or `.none`.
    package var apnsID = APNSID.none
    /// When the request was handed to HTTP/2, in microseconds since 1970; 0 if it never was.
    package var sentAtMicroseconds: Int64 = 0
    /// From hand-over to the end of the answer, in microseconds.
    package var latencyMicroseconds: UInt32 = 0
    /// The connection's number, from 1; 0 if the request never met one.
    package var connection: UInt8 = 0

    /// An answer that has not come.
    package init() {}
}

/// How one request ended.
package enum PushEnd: Sendable, Equatable {
    /// APNs answered; the verdict says what the answer means.
    case judged(Verdict)
    /// It was sent and not answered: nobody can know whether APNs took it.
    case unknown(UnknownCause)
    /// It was certainly not processed.
    case notSent(NotSentCause)
}

/// Why no answer came.
package enum UnknownCause: String, Sendable, Equatable {
    /// The request's deadline passed.
    case deadline = "NoAnswer"
    /// The connection ended first.
    case connectionLost = "ConnectionLost"
    /// The peer reset the stream.
    case streamReset = "StreamReset"
}

/// Why a request was certainly not processed.
package enum NotSentCause: String, Sendable, Equatable {
    /// The loop was told to stop before the request's turn came.
    case stopped = "Stopped"
    /// The peer refused the stream too often.
    case refusedTooOften = "StreamRefused"
}
