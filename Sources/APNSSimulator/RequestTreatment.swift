/// How one request is treated.
package struct RequestTreatment: Sendable, Equatable {
    /// What becomes of the request itself.
    package enum Reply: Sendable, Equatable {
        /// It is answered as the judge ruled.
        case judged
        /// It is answered otherwise.
        case answer(ScriptedAnswer)
        /// It is never answered.
        case ignored
        /// Its stream is reset with this code (RFC 9113, section 7).
        case reset(code: UInt32)

        /// Another answer than the judge's, in the form that APNs' answers have.
        ///
        /// - Parameters:
        ///   - status: The status.
        ///   - reason: Empty sends no body.
        /// - Returns: The reply.
        package static func answer(status: Int, reason: String) -> Reply {
            .answer(ScriptedAnswer(status: status, reason: reason))
        }
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

/// An answer that takes the place of the judge's.
package struct ScriptedAnswer: Sendable, Equatable {
    /// How the stream ends.
    package enum Ending: Sendable, Equatable {
        /// With END_STREAM, as it should.
        case complete
        /// Not at all: the head is sent and nothing after it.
        case never
        /// With END_STREAM, and then a reset with this code.
        case resetAfter(code: UInt32)
    }

    /// The status, 200...599.
    package var status: Int
    /// The reason in the body's JSON; empty for none.
    package var reason: String
    /// The `timestamp` in the body's JSON, in milliseconds since 1970 UTC; nil for none.
    package var timestampMilliseconds: Int64?
    /// The whole body, as it stands, in place of that JSON; nil for the JSON.
    package var body: [UInt8]?
    /// The value of a `retry-after` field; nil for none.
    package var retryAfterSeconds: Int?
    /// How the stream ends.
    package var ending: Ending

    /// Names the answer.
    ///
    /// - Parameters:
    ///   - status: 200...599.
    ///   - reason: Empty for none.
    ///   - timestampMilliseconds: Since 1970 UTC; nil for none.
    ///   - body: The whole body in place of reason and timestamp; nil for those.
    ///   - retryAfterSeconds: nil for no such field.
    ///   - ending: How the stream ends.
    package init(
        status: Int, reason: String = "", timestampMilliseconds: Int64? = nil,
        body: [UInt8]? = nil, retryAfterSeconds: Int? = nil, ending: Ending = .complete
    ) {
        self.status = status
        self.reason = reason
        self.timestampMilliseconds = timestampMilliseconds
        self.body = body
        self.retryAfterSeconds = retryAfterSeconds
        self.ending = ending
    }
}
