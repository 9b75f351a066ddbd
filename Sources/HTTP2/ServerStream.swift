/// What a server knows of the request in one slot.
@safe struct ServerStream: BitwiseCopyable {
    /// 0: the slot is free.
    var streamID: Int32 = 0
    /// Header bytes of the request so far, as RFC 9113, section 10.5.1 counts them.
    var headerBytes: Int32 = 0
    /// The request's own fields are complete; more fields are trailers.
    var hasFields = false
    /// An answer is queued or sent.
    var isAnswered = false
    /// RST_STREAM with this code follows the answer's last frame.
    var resetAfterAnswer: UInt32?
    /// The answer's body, allocated by the session, freed when the stream closes.
    var body: UnsafeMutableRawPointer?
    var bodyBytes = 0
    var bodySentBytes = 0
}
