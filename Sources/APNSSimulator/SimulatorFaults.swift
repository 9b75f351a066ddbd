/// What goes wrong on purpose, on every connection alike; by default nothing.
package struct SimulatorFaults: Sendable, Equatable {
    /// GOAWAY right after this many requests of a connection: they are still answered, streams
    /// above the last of them are not taken.
    package var goAwayAfterRequests: Int?
    /// The connection is cut, without a word, when this many requests arrived on it: the last of
    /// them is not answered.
    package var dropAfterRequests: Int?
    /// Every so-manieth request of a connection is refused with REFUSED_STREAM, unless the same
    /// token was refused before: a second try succeeds.
    package var refuseEvery: Int?
    /// The share of attempts, from 0 to 1, answered with 503 `ServiceUnavailable` where the judge
    /// would have accepted. Whether the first, the second ... attempt for a token fails depends on
    /// nothing but the token, the number of the attempt and the seed of the fates.
    package var transientShare: Double

    /// Names the faults.
    ///
    /// - Parameters:
    ///   - goAwayAfterRequests: 1 or more; nil: never.
    ///   - dropAfterRequests: 1 or more; nil: never.
    ///   - refuseEvery: 1 or more; nil: never.
    ///   - transientShare: From 0 to 1.
    package init(
        goAwayAfterRequests: Int? = nil, dropAfterRequests: Int? = nil, refuseEvery: Int? = nil,
        transientShare: Double = 0
    ) {
        for count in [goAwayAfterRequests, dropAfterRequests, refuseEvery] {
            precondition(count.map { $0 > 0 } ?? true, "a number of requests is 1 or more")
        }
        self.goAwayAfterRequests = goAwayAfterRequests
        self.dropAfterRequests = dropAfterRequests
        self.refuseEvery = refuseEvery
        self.transientShare = transientShare
    }
}
