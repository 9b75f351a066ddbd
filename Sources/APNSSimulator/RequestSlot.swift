/// One stream of a connection: the request as it arrives, and then what is to be answered.
///
/// Used again for stream after stream; not copyable, so that no buffer is ever shared by accident.
struct RequestSlot: ~Copyable {
    var intake = RequestIntake()
    private(set) var streamID: Int32 = 0
    /// Tells the streams apart that used this slot one after another.
    private(set) var generation: UInt32 = 0
    var presented: PresentedToken?
    var isCredentialAccepted = false
    var kind = PushKind.send
    var tokenHash: UInt64 = 0
    var ruling = Ruling.ignored
    var reply = RequestTreatment.Reply.judged
    /// The stream is open.
    var isOpen = false
    /// The request is complete and waits for its answer.
    var isDue = false
    /// The header fields as they came, only while a transcript is kept.
    var transcriptFields: [ReceivedRequest.Field] = []

    /// Makes the slot ready for a new stream.
    mutating func begin(streamID: Int32) {
        self.streamID = streamID
        generation &+= 1
        intake.reset()
        presented = nil
        isOpen = true
        isDue = false
        if !transcriptFields.isEmpty { transcriptFields.removeAll(keepingCapacity: true) }
    }
}

/// The slots of one connection in one piece of memory, so that reaching one for each header field
/// costs an index, neither a reference count nor a check of exclusive access.
///
/// Owned by one connection, used on its thread. A slot is lent for one statement; `grow` is not
/// called within it.
@safe final class RequestSlots {
    private var slots: UnsafeMutableBufferPointer<RequestSlot>

    init() {
        unsafe slots = .allocate(capacity: 0)
    }

    deinit {
        // Sound: all slots up to `count` are initialised.
        unsafe slots.deinitialize()
        unsafe slots.deallocate()
    }

    var count: Int { unsafe slots.count }

    /// A slot below `count`.
    subscript(index: Int) -> RequestSlot {
        _read {
            precondition(index >= 0 && index < count, "no such slot")
            // Sound: the index was checked, and every slot is initialised.
            yield unsafe slots[index]
        }
        _modify {
            precondition(index >= 0 && index < count, "no such slot")
            // Sound: as above.
            yield unsafe &slots[index]
        }
    }

    /// Makes `index` a valid index.
    func grow(toHold index: Int) {
        guard index >= count else { return }
        let larger = UnsafeMutableBufferPointer<RequestSlot>.allocate(
            capacity: max(index + 1, 2 * count))
        // Sound: the old slots move to the start of the larger memory, the rest is filled here.
        let filled = unsafe larger.moveInitialize(fromContentsOf: slots)
        for place in filled..<larger.count {
            unsafe larger.initializeElement(at: place, to: RequestSlot())
        }
        unsafe slots.deallocate()
        unsafe slots = larger
    }
}
