internal import HeaderCompression

/// The header blocks of a client's requests, made here and not by nghttp2.
///
/// nghttp2 gets requests without fields and so makes HEADERS frames with nothing in them, or with
/// updates of a table that no block refers to; their payload is replaced when they come out. Every
/// block of the connection is ours, so nghttp2's own table does not matter to the peer.
///
/// - Ownership and thread: the client that made it, on its thread.
@safe final class RequestBlocks {
    /// A frame of this size is taken by every peer: the least SETTINGS_MAX_FRAME_SIZE there can be
    /// (RFC 9113, section 6.5.2). Blocks that could be larger are refused, never continued.
    static let blockBytesMax = 16_384

    private struct Section {
        let number: Int32
        let leading: [BlockField]
        let trailing: [BlockField]
    }

    /// The number of the section that requests are submitted with now; 0: none yet.
    private(set) var newest: Int32 = 0

    private let encoder = RequestBlockEncoder()
    /// The newest section, and before it those that requests not yet sent may need.
    private var sections: [Section] = []
    /// The section that the encoder has.
    private var current: Int32 = 0
    /// The table sizes of each SETTINGS frame of the peer whose acknowledgement is not out yet.
    private var unacknowledged: [[Int]] = []
    private var pathBytesMax = 0

    /// Adds a section of constant fields, for requests submitted from now on.
    func add(leading: [HTTP2Field], trailing: [HTTP2Field]) {
        newest += 1
        let section = Section(
            number: newest, leading: leading.map(Self.blockField),
            trailing: trailing.map(Self.blockField))
        sections.append(section)
        let measured = RequestBlockEncoder()
        measured.use(leading: section.leading, trailing: section.trailing)
        pathBytesMax = Self.blockBytesMax - measured.blockBytesMax(pathCount: 0)
    }

    private static func blockField(_ field: HTTP2Field) -> BlockField {
        BlockField(
            name: Array(field.name.utf8), value: field.value,
            isNeverIndexed: field.indexing == .never)
    }

    /// Throws if a request with such a path would not fit into one frame.
    func check(pathCount: Int) throws(HTTP2Error) {
        precondition(newest > 0, "setConstantFields comes first")
        guard pathCount > pathBytesMax else { return }
        throw HTTP2Error(
            attempted: "submitting a request", code: 0,
            reason: "its header fields do not fit into one frame")
    }

    /// Forgets all sections but the newest: no request submitted with them is unsent.
    func keepNewest() {
        if sections.count > 1 { sections.removeSubrange(..<(sections.count - 1)) }
    }

    // MARK: - Settings

    /// The peer has changed its settings, its table's size perhaps several times.
    func settingsReceived(tableSizes: [Int]) {
        unacknowledged.append(tableSizes)
    }

    /// The acknowledgement of the oldest SETTINGS goes out: from here on the peer expects that its
    /// table's new size is kept (RFC 7541, section 4.2).
    func settingsAcknowledged() {
        guard !unacknowledged.isEmpty else { return }
        for size in unacknowledged.removeFirst() { encoder.limitTable(toBytes: size) }
    }

    // MARK: - Frames

    /// Puts a HEADERS frame into the output whose payload is the block for `stream`.
    ///
    /// - Parameters:
    ///   - header: the header of nghttp2's frame, which has the flags END_HEADERS and perhaps
    ///     END_STREAM only, so nothing but a block is in it.
    ///   - stream: the request.
    ///   - output: where to.
    func place(_ header: FrameHeader, for stream: ClientStream, in output: OutputBuffer) {
        if stream.section != current { use(stream.section) }
        // Sound: the caller keeps the path until the request is reported closed.
        let path = unsafe Span<UInt8>(
            _unsafeBytes: UnsafeRawBufferPointer(
                start: stream.path, count: Int(stream.pathBytes)))
        let room = encoder.roomBytes(pathCount: path.count)
        output.append(room: FrameHeader.size + room) { frame in
            let end = encoder.encode(path: path, into: &frame, at: FrameHeader.size)
            header.write(into: &frame, length: end - FrameHeader.size)
            return end
        }
    }

    private func use(_ number: Int32) {
        guard let section = sections.first(where: { $0.number == number }) else {
            preconditionFailure("a section was forgotten that a request needs")
        }
        current = number
        encoder.use(leading: section.leading, trailing: section.trailing)
    }
}
