/// Bytes on their way between a session and its socket: a line that is joined at the end and left
/// at the front.
///
/// OpenSSL's own memory BIO does the same, at a price: it zeroes what it grows, zeroes everything
/// when it is emptied, and gives up bytes only by copying them out. At some hundred thousand
/// requests a second that is one or two per cent of all work, so this takes its place.
///
/// *Ownership and thread*: owned by one `TLSSession`, used on its thread, freed with `free()`.
@unsafe
struct CiphertextBuffer {
    private var base: UnsafeMutableRawPointer
    private var capacity: Int
    private var head = 0
    private var tail = 0

    /// One full TLS record (16,384 bytes and its overhead) fits without growing: RFC 8446, 5.2.
    private static let initialCapacity = 20_480

    init() {
        unsafe base = .allocate(byteCount: Self.initialCapacity, alignment: 16)
        unsafe capacity = Self.initialCapacity
    }

    /// The number of bytes waiting.
    var count: Int { unsafe tail - head }

    /// The bytes waiting; valid until the next change.
    var bytes: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: base + head, count: count)
    }

    /// Appends a copy of `length` bytes.
    mutating func append(_ source: UnsafeRawPointer, _ length: Int) {
        if unsafe capacity - tail < length { unsafe makeRoom(for: length) }
        unsafe (base + tail).copyMemory(from: source, byteCount: length)
        unsafe tail += length
    }

    /// Drops the first bytes.
    mutating func consume(_ length: Int) {
        unsafe precondition(length <= count, "more bytes consumed than there are")
        unsafe head += length
        // An empty line starts over, so that bytes rarely have to move.
        if unsafe head == tail { unsafe (head, tail) = (0, 0) }
    }

    /// Moves at most `length` bytes out; answers how many.
    mutating func take(into target: UnsafeMutableRawPointer, _ length: Int) -> Int {
        let taken = unsafe min(length, count)
        unsafe target.copyMemory(from: base + head, byteCount: taken)
        unsafe consume(taken)
        return taken
    }

    func free() {
        unsafe base.deallocate()
    }

    /// Moves the waiting bytes to the front, into larger memory if they need it.
    private mutating func makeRoom(for length: Int) {
        let waiting = unsafe count
        if unsafe waiting + length <= capacity {
            unsafe base.copyMemory(from: base + head, byteCount: waiting)
        } else {
            let larger = unsafe max(2 * capacity, waiting + length)
            let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
            unsafe moved.copyMemory(from: base + head, byteCount: waiting)
            unsafe base.deallocate()
            unsafe (base, capacity) = unsafe (moved, larger)
        }
        unsafe (head, tail) = (0, waiting)
    }
}
