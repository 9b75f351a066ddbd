internal import DocumentTree

/// Cuts a text into literals and fields.
struct TemplateParser {
    private let characters: [Unicode.Scalar]
    private var index = 0
    private var literal = String.UnicodeScalarView()
    private var segments: [TextTemplate.Segment] = []

    /// A parser of one text.
    ///
    /// - Parameter source: the text as written.
    init(_ source: String) {
        characters = Array(source.unicodeScalars)
    }

    /// Cuts the text.
    ///
    /// - Returns: the pieces in order.
    /// - Throws: the first fault.
    mutating func parse() throws(TemplateFault) -> [TextTemplate.Segment] {
        while index < characters.count {
            if isAt("{", count: 4) {
                literal.append(contentsOf: "{{".unicodeScalars)
                index += 4
            } else if isAt("{", count: 2) {
                try takeField()
            } else {
                literal.append(characters[index])
                index += 1
            }
        }
        endLiteral()
        return segments
    }

    /// Takes `{{ name | fallback }}`.
    private mutating func takeField() throws(TemplateFault) {
        let start = index
        index += 2
        let contentStart = index
        while !isAt("}", count: 2) {
            guard index < characters.count, !isAt("{", count: 2) else {
                throw fault(start, "{{ is not closed; write }} after the name")
            }
            index += 1
        }
        let content = characters[contentStart..<index]
        index += 2
        let bar = content.firstIndex(of: "|")
        let name = try fieldName(content[..<(bar ?? content.endIndex)], openedAt: start)
        let fallback: String? =
            if let bar { try fallbackText(content[(bar + 1)...]) } else { nil }
        endLiteral()
        segments.append(.field(TemplateField(name: name), fallback: fallback))
    }

    private func fieldName(
        _ written: ArraySlice<Unicode.Scalar>, openedAt start: Int
    ) throws(TemplateFault) -> String {
        let name = trimmed(written)
        guard !name.isEmpty else {
            throw fault(start, "there is no name between the braces; write {{ name }}")
        }
        if let odd = name.firstIndex(where: { !isNameCharacter($0) }) {
            let shown = ShownText.quoted(String(name[odd]))
            throw fault(
                odd,
                "a name has letters, digits, - and _, not \(shown) "
                    + "(\(ShownText.codePoint(name[odd])))")
        }
        guard name.count <= TextTemplate.nameBytesMax else {
            throw fault(
                start, "a name has at most \(TextTemplate.nameBytesMax) characters")
        }
        return text(of: name)
    }

    private func fallbackText(
        _ written: ArraySlice<Unicode.Scalar>
    ) throws(TemplateFault) -> String {
        let fallback = trimmed(written)
        guard let first = fallback.first, let last = fallback.last else { return "" }
        let quotes: [Unicode.Scalar] = ["\"", "'"]
        if fallback.count > 1, first == last, quotes.contains(first) {
            throw fault(
                fallback.startIndex, "the text after | needs no quotes; they would be shown")
        }
        if text(of: fallback).hasPrefix("default:") {
            throw fault(
                fallback.startIndex, "write the text itself after |, as in {{ name | there }}")
        }
        return text(of: fallback)
    }

    private mutating func endLiteral() {
        guard !literal.isEmpty else { return }
        segments.append(.literal(String(literal)))
        literal = String.UnicodeScalarView()
    }

    private func isAt(_ character: Unicode.Scalar, count: Int) -> Bool {
        index + count <= characters.count
            && characters[index..<(index + count)].allSatisfy { $0 == character }
    }

    private func isNameCharacter(_ character: Unicode.Scalar) -> Bool {
        switch character {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
        default: false
        }
    }

    private func trimmed(_ part: ArraySlice<Unicode.Scalar>) -> ArraySlice<Unicode.Scalar> {
        let blanks: [Unicode.Scalar] = [" ", "\t", "\n"]
        guard let first = part.firstIndex(where: { !blanks.contains($0) }),
            let last = part.lastIndex(where: { !blanks.contains($0) })
        else { return part[part.endIndex...] }
        return part[first...last]
    }

    private func text(of part: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: part)
        return String(view)
    }

    private func fault(_ offset: Int, _ message: String) -> TemplateFault {
        let before = characters[..<offset]
        let lineStart = before.lastIndex(of: "\n").map { $0 + 1 } ?? 0
        return TemplateFault(
            line: before.count { $0 == "\n" } + 1, column: offset - lineStart + 1,
            message: message)
    }
}
