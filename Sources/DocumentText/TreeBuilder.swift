internal import DocumentTree

/// Builds the tree from the parser's events and collects what is wrong on the way.
///
/// Invariants:
/// 1. `frames` holds the lists and mappings that are open, outermost first; never more than
///    `depthMax` of them.
/// 2. In a mapping, scalars alternate: a key waits in `key` until its value comes.
/// 3. Faults that leave the shape of the tree unclear end the reading (`take` returns false);
///    all others are noted and the reading goes on, so that the author sees them together.
struct TreeBuilder {
    private let file: String
    private let depthMax: Int
    private var frames: [Frame] = []
    private var root: DocumentNode?
    private var hasDocument = false
    private var faults: [Diagnostic] = []

    /// A builder for one file.
    ///
    /// - Parameters:
    ///   - file: the file as the user named it.
    ///   - depthMax: the deepest nesting, the root counting as 1.
    init(file: String, depthMax: Int) {
        self.file = file
        self.depthMax = depthMax
    }

    /// Takes the next event.
    ///
    /// - Parameter event: what the parser saw.
    /// - Returns: whether to go on; false after a fault that makes the rest meaningless.
    mutating func take(_ event: ParserEvent) -> Bool {
        let place = event.place ?? frames.last?.latestPlace ?? .start
        noteUnsupported(event, at: place)
        switch event.kind {
        case .scalar(let scalar):
            take(scalar, at: event.place)
            return true
        case .mappingStart: return open(.mapping, at: place)
        case .sequenceStart: return open(.sequence, at: place)
        case .mappingEnd, .sequenceEnd:
            close()
            return true
        case .alias:
            note(place, "an alias (*name) is not supported here; repeat the value, or quote it")
            return false
        case .documentStart: return beginDocument(at: place)
        case .other: return true
        }
    }

    /// Notes why the parser gave up.
    ///
    /// - Parameters:
    ///   - fault: where and why.
    ///   - lines: the text, to find the likely cause.
    mutating func report(_ fault: SyntaxFault, in lines: SourceLines) {
        let causes = SyntaxAdvice.causes(of: fault, in: lines)
        for cause in causes { note(cause.place, cause.message) }
        guard causes.isEmpty else { return }
        if let open = frames.last, lines.isEnd(fault.place) {
            note(
                fault.place,
                "the file ends here, and the bracket opened at \(open.place) is not closed")
        } else {
            note(fault.place, SyntaxAdvice.sentence(for: fault))
        }
    }

    /// The finished tree.
    ///
    /// - Returns: the root, or everything that is wrong, in the order of the file.
    consuming func finish() -> Result<DocumentNode, Diagnostics> {
        guard faults.isEmpty else { return .failure(Diagnostics(withoutRepetition(faults))) }
        guard let root else {
            let message = "the file is empty; write its fields"
            return .failure(
                Diagnostics([Diagnostic(file: file, place: .start, message: message)]))
        }
        return .success(root)
    }

    /// One sentence for each place: what is said second about it follows from the first.
    private func withoutRepetition(_ list: [Diagnostic]) -> [Diagnostic] {
        var seen: Set<SourcePlace> = []
        return list.filter { seen.insert($0.place).inserted }
    }
}

// MARK: - Opening and closing

extension TreeBuilder {
    /// A list or mapping that is not closed yet.
    private struct Frame {
        enum Kind { case mapping, sequence }

        let kind: Kind
        let place: SourcePlace
        var entries: [DocumentEntry] = []
        var items: [DocumentNode] = []
        /// The key whose value comes next.
        var key: (text: String, place: SourcePlace)?
        /// Where each key was first given.
        var seen: [String: SourcePlace] = [:]

        /// The place nearest to something that is not written.
        var latestPlace: SourcePlace {
            key?.place ?? entries.last?.value.place ?? items.last?.place ?? place
        }

        var isAtKey: Bool { kind == .mapping && key == nil }

        /// The part of a field's path that this frame contributes.
        var pathPart: String {
            switch kind {
            case .mapping: key.map { PathText.part($0.text) } ?? ""
            case .sequence: "[\(items.count)]"
            }
        }
    }

    private mutating func beginDocument(at place: SourcePlace) -> Bool {
        guard hasDocument else {
            hasDocument = true
            return true
        }
        note(place, "a second document begins here (---); a file holds one")
        return false
    }

    private mutating func open(_ kind: Frame.Kind, at place: SourcePlace) -> Bool {
        if let last = frames.last, last.isAtKey {
            note(
                place,
                "a field's name must be a word here; a text with {{ … }} must stand in quotes")
            return false
        }
        guard frames.count < depthMax else {
            note(place, "lists and fields are nested deeper than \(depthMax); nothing needs that")
            return false
        }
        frames.append(Frame(kind: kind, place: place))
        return true
    }

    private mutating func close() {
        guard let frame = frames.popLast() else { return }
        switch frame.kind {
        case .mapping: add(DocumentNode(.mapping(frame.entries), at: frame.place))
        case .sequence: add(DocumentNode(.sequence(frame.items), at: frame.place))
        }
    }

    /// Puts a finished value where it belongs.
    private mutating func add(_ node: DocumentNode) {
        guard let top = frames.indices.last else {
            root = node
            return
        }
        guard frames[top].kind == .mapping else {
            frames[top].items.append(node)
            return
        }
        guard let key = frames[top].key else { return }
        if let first = frames[top].seen[key.text] {
            note(
                key.place,
                "\(ShownText.quoted(key.text)) is given twice, first at \(first); keep one")
        } else {
            frames[top].seen[key.text] = key.place
            frames[top].entries.append(
                DocumentEntry(key: key.text, keyPlace: key.place, value: node))
        }
        frames[top].key = nil
    }
}

// MARK: - Scalars and faults

extension TreeBuilder {
    private mutating func take(_ scalar: ParsedScalar, at written: SourcePlace?) {
        // `---` alone: a document without a value is an empty file.
        if frames.isEmpty, written == nil { return }
        let isKey = frames.last?.isAtKey ?? false
        let place = written ?? frames.last?.latestPlace ?? .start
        if written == nil { noteAbsent(isKey: isKey, at: place) }
        if let fault = ScalarCheck.fault(in: scalar, isKey: isKey) {
            // In a text over several lines a character's column is not known: its beginning does.
            let offset = scalar.isOnOneLine ? fault.charactersBefore : 0
            note(SourcePlace(line: place.line, column: place.column + offset), fault.message)
        }
        let text = scalar.text ?? ""
        if isKey, let top = frames.indices.last {
            frames[top].key = (text, place)
        } else {
            add(DocumentNode(.scalar(DocumentScalar(text, style: scalar.style)), at: place))
        }
    }

    /// Notes a key or a value that is not written, as in `{ a }`, `a:` or `: b`.
    private mutating func noteAbsent(isKey: Bool, at place: SourcePlace) {
        if isKey {
            note(place, "a field without a name stands here; write its name before the colon")
            return
        }
        guard let key = frames.last?.key else {
            note(place, "an entry of this list is empty; write a value, or remove it")
            return
        }
        if key.text.contains(":") {
            note(place, "write a blank behind the colon, as in `title: Hello`")
        } else if key.text.contains(" ") {
            note(place, "write a colon and a blank between a field and its value")
        } else {
            note(place, "no value is given; write one, or remove the field")
        }
    }

    private mutating func noteUnsupported(_ event: ParserEvent, at place: SourcePlace) {
        if event.hasAnchor {
            note(place, "an anchor (&name) is not supported; remove it, or quote the text")
        }
        if event.hasTag {
            note(place, "a tag (!name) is not supported; remove it, or quote the text")
        }
    }

    private mutating func note(_ place: SourcePlace, _ message: String) {
        let path = frames.map(\.pathPart).filter { !$0.isEmpty }
        faults.append(
            Diagnostic(
                file: file, place: place, fieldPath: PathText.joined(path), message: message))
    }
}
