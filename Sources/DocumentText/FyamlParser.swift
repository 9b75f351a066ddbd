internal import CFyaml
internal import DocumentTree

/// One thing the parser saw, in the order of the file.
struct ParserEvent {
    /// What was seen.
    enum Kind {
        case scalar(ParsedScalar)
        case mappingStart
        case mappingEnd
        case sequenceStart
        case sequenceEnd
        case alias
        case documentStart
        /// The beginning and the end of the stream, the end of a document.
        case other
    }

    let kind: Kind
    /// Where it begins; nil for what is not written, such as the value missing in `{ a }`.
    let place: SourcePlace?
    /// Whether an anchor (`&name`) stands before it.
    let hasAnchor: Bool
    /// Whether a tag (`!!str`) stands before it.
    let hasTag: Bool
}

/// A scalar as the parser delivers it.
struct ParsedScalar {
    /// The characters; nil when escapes such as a lone `\ud83d` made them no valid text.
    let text: String?
    let style: DocumentScalar.Style
    /// Whether it stands on one line, so that its characters have known columns.
    let isOnOneLine: Bool
}

/// Where and why the parser gave up.
struct SyntaxFault {
    let place: SourcePlace
    /// libfyaml's own words.
    let message: String
}

/// The one place that calls libfyaml: a parser with its collector of messages.
///
/// *Ownership and thread*: owns both C objects and frees them at the end of its life; used by one
/// function on one thread. Events are copied into Swift values and freed one by one.
///
/// Source: libfyaml.h of version 0.7.12.
@safe struct FyamlParser: ~Copyable {
    /// Keeps the parser's messages; made first and freed last.
    private let collector: OpaquePointer
    private let parser: OpaquePointer

    /// Reads a text and hands over its events.
    ///
    /// - Parameters:
    ///   - text: valid UTF-8 without NUL.
    ///   - handler: takes each event; false ends the reading.
    /// - Returns: the first fault of the syntax, nil when there is none or the handler ended it.
    static func read(
        _ text: ArraySlice<UInt8>, handler: (ParserEvent) -> Bool
    ) -> SyntaxFault? {
        guard let parser = FyamlParser() else { return outOfMemory }
        return unsafe text.withUnsafeBytes { bytes in
            // The buffer outlives `read`; nothing reads it when the parser is destroyed later,
            // which frees only the library's own memory.
            unsafe parser.read(bytes, handler: handler)
        }
    }

    private static let outOfMemory = SyntaxFault(
        place: .start, message: "there is not enough memory")

    /// A parser that never prints, never switches to strict JSON by a file's name, and does not
    /// mind where the closing brace of a nested `{ … }` stands.
    ///
    /// - C: `fy_diag_create`, `fy_parser_create`.
    private init?() {
        var style = unsafe fy_diag_cfg()
        // The structures are ours, live through the calls, and are copied by the library.
        unsafe fy_diag_cfg_default(&style)
        unsafe style.fp = nil
        unsafe style.colorize = false
        guard let collector = unsafe fy_diag_create(&style) else { return nil }
        unsafe fy_diag_set_collect_errors(collector, true)
        var settings = unsafe fy_parse_cfg()
        unsafe settings.flags = fy_parse_cfg_flags(
            rawValue: FYPCF_QUIET.rawValue | FYPCF_COLLECT_DIAG.rawValue
                | FYPCF_JSON_NONE.rawValue | FYPCF_SLOPPY_FLOW_INDENTATION.rawValue)
        unsafe settings.diag = unsafe collector
        guard let parser = unsafe fy_parser_create(&settings) else {
            // Nobody else has the collector.
            unsafe fy_diag_destroy(collector)
            return nil
        }
        unsafe self.collector = unsafe collector
        unsafe self.parser = unsafe parser
    }

    deinit {
        // The parser goes before the collector it reports to; neither is used afterwards.
        unsafe fy_parser_destroy(parser)
        unsafe fy_diag_destroy(collector)
    }

    /// - C: `fy_parser_set_string`, `fy_parser_parse`, `fy_parser_event_free`.
    private borrowing func read(
        _ bytes: UnsafeRawBufferPointer, handler: (ParserEvent) -> Bool
    ) -> SyntaxFault? {
        // The caller keeps the bytes alive; bytes may be read as C characters.
        let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        guard let start = unsafe start else { return nil }
        guard unsafe fy_parser_set_string(parser, start, bytes.count) == 0 else {
            return Self.outOfMemory
        }
        // Each event is freed before the next one is asked for.
        while let event = unsafe fy_parser_parse(parser) {
            defer { unsafe fy_parser_event_free(parser, event) }
            guard handler(unsafe Self.translated(event)) else { return nil }
        }
        return fault()
    }

    /// The first message of the collector; a parser that failed without one still is a fault.
    private borrowing func fault() -> SyntaxFault? {
        var position: UnsafeMutableRawPointer?
        // Both objects are alive; the message is copied at once.
        if let first = unsafe fy_diag_errors_iterate(collector, &position) {
            let message = unsafe first.pointee.msg.map { unsafe String(cString: $0) }
            let (line, column) = unsafe (Int(first.pointee.line), Int(first.pointee.column))
            return SyntaxFault(
                place: SourcePlace(line: max(1, line), column: max(1, column)),
                message: message ?? "the text cannot be read")
        }
        guard unsafe fy_parser_get_stream_error(parser) else { return nil }
        return SyntaxFault(place: .start, message: "the text cannot be read")
    }

    /// Copies an event into a Swift value. The event is alive during the call.
    private static func translated(_ event: UnsafeMutablePointer<fy_event>) -> ParserEvent {
        let kind: ParserEvent.Kind =
            switch unsafe event.pointee.type {
            case FYET_SCALAR: .scalar(unsafe scalar(of: event))
            case FYET_MAPPING_START: .mappingStart
            case FYET_MAPPING_END: .mappingEnd
            case FYET_SEQUENCE_START: .sequenceStart
            case FYET_SEQUENCE_END: .sequenceEnd
            case FYET_ALIAS: .alias
            case FYET_DOCUMENT_START: .documentStart
            default: .other
            }
        return unsafe ParserEvent(
            kind: kind, place: place(of: event),
            hasAnchor: fy_event_get_anchor_token(event) != nil,
            hasTag: fy_event_get_tag_token(event) != nil)
    }

    private static func scalar(of event: UnsafeMutablePointer<fy_event>) -> ParsedScalar {
        // A scalar event always has a token (libfyaml.h); its text lives as long as the event and
        // is copied here.
        guard let token = unsafe fy_event_get_token(event) else {
            return ParsedScalar(text: "", style: .plain, isOnOneLine: true)
        }
        let style: DocumentScalar.Style =
            switch unsafe fy_token_scalar_style(token) {
            case FYSS_PLAIN: .plain
            case FYSS_LITERAL, FYSS_FOLDED: .block
            default: .quoted
            }
        var length = 0
        guard let start = unsafe fy_token_get_text(token, &length) else {
            return ParsedScalar(text: nil, style: style, isOnOneLine: false)
        }
        // `length` bytes from `start` are the token's text.
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: length)
        return ParsedScalar(
            text: unsafe String(validating: bytes, as: UTF8.self), style: style,
            isOnOneLine: unsafe fy_event_start_mark(event)?.pointee.line
                == fy_event_end_mark(event)?.pointee.line)
    }

    private static func place(of event: UnsafeMutablePointer<fy_event>) -> SourcePlace? {
        // The mark belongs to the event and is read at once.
        guard let mark = unsafe fy_event_start_mark(event) else { return nil }
        let (line, column) = unsafe (Int(mark.pointee.line), Int(mark.pointee.column))
        // Marks count from 0. The mark of a quoted text stands behind its opening quote, that of an
        // alias behind its asterisk: there the same number is the column counted from 1.
        let isBehindSign =
            unsafe event.pointee.type == FYET_ALIAS
            || fy_event_get_node_style(event) == FYNS_DOUBLE_QUOTED
            || fy_event_get_node_style(event) == FYNS_SINGLE_QUOTED
        return SourcePlace(line: line + 1, column: max(1, isBehindSign ? column : column + 1))
    }
}
