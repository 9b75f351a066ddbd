internal import APNSProtocol

/// A request on the wire, and what came of its answer so far.
struct Flight {
    /// The batch's index in the loop's work; -1: the slot is free.
    var batch: Int32 = -1
    var entry: Int32 = 0
    var status: UInt16 = 0
    /// It has ended for its owner; the answer, if one comes, is dropped.
    var isGivenUp = false
    var retryAfterSeconds: UInt32 = 0
    /// Which provider token it was sent with.
    var tokenNumber: Int32 = 0
    var sentNanoseconds: Int64 = 0
    var apnsID = APNSID.none
}
