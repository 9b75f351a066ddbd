/// What a client knows of the request in one slot.
@safe struct ClientStream: BitwiseCopyable {
    /// How far the answer's head has come.
    enum Head: UInt8 {
        /// Nothing, or only informational answers so far.
        case awaited
        /// Inside an informational (1xx) header block.
        case informational
        /// Inside the final header block.
        case final
        /// The final header block is complete; another one holds trailers.
        case complete
    }

    /// 0: the slot is free.
    var streamID: Int32 = 0
    /// Header bytes of the answer so far, as RFC 9113, section 10.5.1 counts them.
    var headerBytes: Int32 = 0
    var head = Head.awaited
    /// `cancel` was called.
    var isCancelled = false
    /// END_STREAM was seen.
    var isAnswered = false
    /// The request's path, until its HEADERS are out; valid until the request is reported closed.
    var path: UnsafeRawPointer?
    var pathBytes: Int32 = 0
    /// Which section of constant fields it was submitted with.
    var section: Int32 = 0
    /// What is left to send of the caller's body; valid until the request is reported closed.
    var bodyRest: UnsafeRawPointer?
    var bodyRestBytes = 0
}
