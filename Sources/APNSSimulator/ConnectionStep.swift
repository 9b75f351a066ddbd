/// Something that a connection does of itself.
package enum ConnectionStep: Sendable, Equatable {
    /// Nothing.
    case none
    /// New SETTINGS: so many streams may be open from now on.
    case streamLimit(UInt32)
    /// GOAWAY; streams above `lastStreamID` are not taken any more. nil names the last stream that
    /// arrived: with requests under way that may be one that is not complete yet.
    case goAway(lastStreamID: Int32?, errorCode: UInt32, debugData: [UInt8])
    /// GOAWAY in one or two steps, its last stream chosen when it is sent.
    case farewell(ConnectionFarewell)
    /// The connection is cut without a word, right after the answers given before. No request that
    /// is not answered by then is.
    case drop
    /// The socket is left unread for so long; nil: for ever. What arrived before is still answered.
    case stopReading(nanoseconds: Int64?)
    /// Answers are kept back for so long; nil: for ever. Requests are still taken.
    case stopAnswering(nanoseconds: Int64?)
    /// Frames that ask to be acknowledged, at a rate.
    case flood(ConnectionFlood)
    /// This direction of the TCP connection ends, without a word in HTTP/2 or TLS.
    case closeHalf
    /// One after the other.
    indirect case all([ConnectionStep])

    /// Both steps, this one first.
    ///
    /// - Parameter next: What follows.
    /// - Returns: A step that is no longer than needed.
    package func then(_ next: ConnectionStep) -> ConnectionStep {
        switch (self, next) {
        case (.none, _): next
        case (_, .none): self
        case (.all(let steps), _): .all(steps + [next])
        default: .all([self, next])
        }
    }
}

/// A GOAWAY whose last stream depends on what is open when it is sent.
package struct ConnectionFarewell: Sendable, Equatable {
    /// Which of the open streams are still answered.
    package enum LastStream: Sendable, Equatable {
        /// All that have arrived.
        case all
        /// None: the last stream is 0.
        case none
        /// Those up to the stream of the request that set this off; without one, all.
        case this
        /// The lower half of those open.
        case half
    }

    /// Which of the open streams are still answered.
    package var last: LastStream
    /// RFC 9113, section 7; 0 is a graceful end.
    package var errorCode: UInt32
    /// Anything; APNs puts JSON with a reason there.
    package var debugData: [UInt8]
    /// A first GOAWAY that names stream 2^31-1 is sent at once, the real one so much later
    /// (RFC 9113, section 6.8); nil: only the real one, at once.
    package var noticeNanoseconds: Int64?

    /// Names the farewell.
    ///
    /// - Parameters:
    ///   - last: Which of the open streams are still answered.
    ///   - errorCode: RFC 9113, section 7.
    ///   - debugData: At most 16,000 bytes.
    ///   - noticeNanoseconds: Time between two steps; nil: one step.
    package init(
        last: LastStream = .all, errorCode: UInt32 = 0, debugData: [UInt8] = [],
        noticeNanoseconds: Int64? = nil
    ) {
        self.last = last
        self.errorCode = errorCode
        self.debugData = debugData
        self.noticeNanoseconds = noticeNanoseconds
    }
}

/// Frames that a connection sends in numbers.
package struct ConnectionFlood: Sendable, Equatable {
    /// What is sent.
    package enum Frame: String, Sendable, CaseIterable {
        /// PING.
        case ping
        /// SETTINGS that repeat the stream limit.
        case settings
    }

    /// What is sent.
    package var frame: Frame
    /// How many per second.
    package var perSecond: Int
    /// For how long, in nanoseconds; nil: until the connection ends.
    package var nanoseconds: Int64?

    /// Names the flood.
    ///
    /// - Parameters:
    ///   - frame: What is sent.
    ///   - perSecond: 1 or more.
    ///   - nanoseconds: For how long; nil: until the connection ends.
    package init(frame: Frame, perSecond: Int, nanoseconds: Int64? = nil) {
        precondition(perSecond > 0, "a flood has a rate")
        self.frame = frame
        self.perSecond = perSecond
        self.nanoseconds = nanoseconds
    }
}
