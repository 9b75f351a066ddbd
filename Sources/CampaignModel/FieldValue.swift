internal import DocumentTree

/// A value of the file while it is read: what it is, the wanting field says.
///
/// Each reading method notes what is wrong and returns nil; so nil means "not usable, and the
/// author knows".
struct FieldValue {
    /// The value as written.
    let node: DocumentNode
    /// The path from the root.
    let path: String
    /// The names of this kind of file.
    let catalog: FieldCatalog
    /// Takes what is wrong.
    let collector: DiagnosticCollector

    /// Notes that the value cannot be used.
    ///
    /// - Parameter message: what was found and what to write instead.
    func fail(_ message: String) {
        collector.error(node.place, path, message)
    }

    /// Notes that the value is not of the wanted kind.
    ///
    /// - Parameter wanted: what to write, as in `write a whole number such as 3`.
    func failKind(_ wanted: String) {
        fail("found \(shown); write \(wanted)")
    }

    /// The value as a message shows it: a scalar's text, or the kind of anything larger.
    var shown: String {
        switch node.content {
        case .scalar(let scalar): ShownText.quoted(scalar.text)
        case .sequence: "a list"
        case .mapping: "a group of fields"
        }
    }

    /// The value as a mapping.
    ///
    /// - Parameter name: its name in the catalog, for the sentence about what belongs into it.
    /// - Returns: its fields.
    func section(named name: String) -> FieldSection? {
        guard case .mapping(let entries) = node.content else {
            let example = catalog.names(in: name).first ?? "name"
            failKind("fields in braces, as in { \(example): … }")
            return nil
        }
        return FieldSection(entries, of: self)
    }

    /// The value as a scalar's text, whatever its style.
    ///
    /// - Parameter wanted: what to write instead of a list or mapping.
    /// - Returns: the text.
    func scalarText(_ wanted: String) -> String? {
        guard case .scalar(let scalar) = node.content else {
            failKind(wanted)
            return nil
        }
        return scalar.text
    }

    /// The value as a text that is not empty. A bare `null` is no text.
    ///
    /// - Returns: the text as written; a block's last line end is dropped.
    func text() -> String? {
        guard case .scalar(let scalar) = node.content else {
            failKind("a text")
            return nil
        }
        if scalar.style == .plain, scalar.text == "null" || scalar.text == "~" {
            fail("found \(shown); remove the field, or put the word in quotes")
            return nil
        }
        var text = scalar.text
        if scalar.style == .block, text.hasSuffix("\n") { text.removeLast() }
        guard !text.allSatisfy(\.isWhitespace) else {
            fail("the text is empty; write one, or remove the field")
            return nil
        }
        return text
    }

    /// The value as a list; one value that is no list counts as a list of one.
    ///
    /// - Returns: the items with their paths.
    func items() -> [FieldValue] {
        guard case .sequence(let nodes) = node.content else { return [self] }
        return nodes.enumerated().map { index, node in
            FieldValue(
                node: node, path: "\(path)[\(index)]", catalog: catalog, collector: collector)
        }
    }

    /// The value as one of some words.
    ///
    /// - Returns: the case whose raw value was written.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ type: Choice.Type
    ) -> Choice? where Choice.RawValue == String {
        let words = Choice.allCases.map(\.rawValue)
        let wanted = FieldValue.alternatives(words)
        guard let text = scalarText(wanted) else { return nil }
        if let choice = Choice(rawValue: text) { return choice }
        if let near = EditDistance.nearest(to: text, among: words) {
            fail("found \(shown); did you mean \(near)? Write \(wanted)")
        } else {
            failKind(wanted)
        }
        return nil
    }

    /// The value as true or false; `1` and `0` mean the same.
    ///
    /// - Returns: the truth value.
    func truth() -> Bool? {
        let wanted = "true or false"
        guard let text = scalarText(wanted) else { return nil }
        switch text {
        case "true", "1": return true
        case "false", "0": return false
        default:
            failKind(wanted)
            return nil
        }
    }

    /// Joins words to a list for a sentence: `a, b or c`.
    ///
    /// - Parameter words: at least one.
    /// - Returns: the list.
    static func alternatives(_ words: [String]) -> String {
        guard let last = words.last, words.count > 1 else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " or " + last
    }
}
