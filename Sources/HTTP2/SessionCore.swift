internal import CNGHTTP2

/// An `nghttp2_session` with the duties that do not depend on the role: feeding, gathering output,
/// remembering how far requests got, and the reason of a failure.
///
/// The C object is freed when the last reference to this one goes, never earlier, so a callback
/// may end the session without pulling the ground from under the C call it runs in.
///
/// - Ownership and thread: the client or server that made it, on its thread.
/// - C: `nghttp2_session_mem_recv`, `nghttp2_session_mem_send`, `nghttp2_session_del`
@safe final class SessionCore {
    /// Valid from a successful init to deinit.
    let session: OpaquePointer

    /// After this, callbacks deliver nothing and calls do nothing.
    private(set) var isTornDown = false

    /// The highest stream whose HEADERS frame was handed out. A session numbers the streams it
    /// opens upwards and sends their HEADERS in that order, so a stream of ours above it has
    /// certainly not been seen by the peer.
    private(set) var lastSentStreamID: Int32 = 0

    private(set) var failure: HTTP2Error?

    /// GOAWAY frames queued by our owner and not yet seen in the output. Any other is nghttp2's own
    /// and means that the peer broke the protocol.
    var queuedGoAways = 0

    private let output = OutputBuffer()
    private var isInsideCall = false

    /// Kept until the session is gone, which frees its blocks into it.
    private let memory: SessionMemory

    /// - Parameters:
    ///   - session: made with the functions of `memory`.
    ///   - memory: where the session's blocks come from.
    init(owning session: OpaquePointer, in memory: SessionMemory) {
        unsafe self.session = session
        self.memory = memory
    }

    deinit {
        // Sound: `session` came from nghttp2_session_*_new and is freed here only; `memory` goes
        // after it.
        unsafe nghttp2_session_del(session)
    }

    var isFinished: Bool {
        if isTornDown { return true }
        guard output.count == 0 else { return false }
        // Sound: the session is valid until deinit; so in every method below.
        return unsafe nghttp2_session_want_read(session) == 0
            && nghttp2_session_want_write(session) == 0
    }

    func markTornDown() {
        isTornDown = true
        output.clear()
    }

    // MARK: - Bytes in

    func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) {
        guard !isTornDown, unsafe !bytes.isEmpty else { return }
        enter()
        defer { isInsideCall = false }
        // Sound: nghttp2 reads `count` bytes and keeps no pointer to them.
        let consumed = unsafe nghttp2_session_mem_recv(
            session, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
        // A callback that tore the session down makes nghttp2 stop with an error of our own making.
        if isTornDown { return }
        do {
            try HTTP2Error.check(consumed, "reading frames from the peer")
        } catch {
            failure = error
            throw error
        }
    }

    // MARK: - Bytes out

    /// Gathers frames until `maximumBytes` are at hand or there are no more, and lends them.
    ///
    /// `place` puts each frame into the output, perhaps in another form, and may end the session by
    /// throwing.
    func takeOutput<R>(
        maximumBytes: Int,
        place: (UnsafeRawBufferPointer, OutputBuffer) throws(HTTP2Error) -> Void,
        _ body: (UnsafeRawBufferPointer) -> R
    ) throws(HTTP2Error) -> R {
        enter()
        while !isTornDown, output.count < maximumBytes {
            var start: UnsafePointer<UInt8>?
            // Sound: nghttp2 fills in a pointer that stays valid until the next call to it, and the
            // bytes are copied before that.
            let size = unsafe nghttp2_session_mem_send(session, &start)
            guard size > 0 else {
                isInsideCall = false
                if size < 0, !isTornDown { throw fail(size) }
                break
            }
            let frame = unsafe UnsafeRawBufferPointer(start: start, count: size)
            unsafe watch(frame)
            do throws(HTTP2Error) {
                try unsafe place(frame, output)
            } catch {
                isInsideCall = false
                failure = error
                throw error
            }
        }
        isInsideCall = false
        if isTornDown { output.clear() }
        return unsafe output.take(maximumBytes, body)
    }

    private func fail(_ code: Int) -> HTTP2Error {
        let error = HTTP2Error(
            attempted: "preparing frames for the peer", libraryCode: Int32(truncatingIfNeeded: code)
        )
        failure = error
        return error
    }

    /// Reads the header of a frame that goes out (RFC 9113, section 4.1): cheaper than a callback
    /// from C for each.
    private func watch(_ frame: UnsafeRawBufferPointer) {
        guard let header = unsafe FrameHeader(frame) else { return }
        switch header.type {
        case .headers:
            lastSentStreamID = max(lastSentStreamID, header.streamID)
        case .goAway where queuedGoAways > 0:
            queuedGoAways -= 1
        case .goAway:
            unsafe noteOwnGoAway(frame)
        default:
            break
        }
    }

    /// Keeps the reason nghttp2 gives the peer: bytes 13 to 16 are the code, the rest is text.
    private func noteOwnGoAway(_ frame: UnsafeRawBufferPointer) {
        guard frame.count >= 17, failure == nil else { return }
        let code = unsafe frame.loadUnaligned(fromByteOffset: 13, as: UInt32.self).bigEndian
        guard code != 0 else { return }
        let text = unsafe String(decoding: frame[17...], as: UTF8.self)
        failure = HTTP2Error(
            attempted: "reading frames from the peer",
            code: Int32(truncatingIfNeeded: code),
            reason: text.isEmpty ? "the peer broke the protocol" : text)
    }

    private func enter() {
        precondition(!isInsideCall, "receive and takeOutput may not be called from a callback")
        isInsideCall = true
    }
}
