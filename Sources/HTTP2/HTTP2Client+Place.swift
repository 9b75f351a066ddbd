internal import CNGHTTP2

/// How frames of nghttp2 get into the output.
extension HTTP2Client {
    /// Puts what nghttp2 gave out into the output: as it is, or with a header block of our own.
    ///
    /// nghttp2 gives out one whole frame at a time, and first the connection preface. That is
    /// checked, because a HEADERS frame that got by would spoil the peer's table unseen.
    func place(
        _ frame: UnsafeRawBufferPointer, in output: OutputBuffer
    ) throws(HTTP2Error) {
        guard let blocks, let header = unsafe FrameHeader(frame), !isPreface(header) else {
            return unsafe output.append(frame)
        }
        guard frame.count == FrameHeader.size + header.length else { throw strange() }
        switch header.type {
        case .headers:
            let known = FrameHeader.endHeaders | FrameHeader.endStream
            guard header.flags & ~known == 0, header.flags & FrameHeader.endHeaders != 0,
                let slot = slot(of: header.streamID)
            else { throw strange() }
            blocks.place(header, for: streams[slot], in: output)
        case .continuation:
            throw strange()
        case .settings where header.flags & FrameHeader.acknowledgement != 0:
            blocks.settingsAcknowledged()
            unsafe output.append(frame)
        default:
            unsafe output.append(frame)
        }
    }

    /// The connection preface is no frame: read as one it has the length of its first three
    /// letters, "PRI", larger than any frame that is ever sent (RFC 9113, section 3.4).
    private func isPreface(_ header: FrameHeader) -> Bool { header.length == 0x50_5249 }

    private func strange() -> HTTP2Error {
        HTTP2Error(
            attempted: "preparing frames for the peer", code: 0,
            reason: "nghttp2 made a header block in a way that can't be replaced")
    }
}
