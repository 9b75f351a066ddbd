internal import DocumentTree

/// The lines of a text, cut only when a fault has to be explained.
struct SourceLines {
    private let lines: [String]

    /// The lines of a text.
    ///
    /// - Parameter text: valid UTF-8.
    init(_ text: ArraySlice<UInt8>) {
        lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The characters outside quotes and comments of the lines up to one, with their places.
    ///
    /// Quotes are followed within a line only: good enough for a hint.
    ///
    /// - Parameters:
    ///   - first: the first line, counted from 1.
    ///   - last: the last line; more than there are means all.
    ///   - visit: gets the place, the character, and the two before it (blanks at the margin).
    func visitBare(
        from first: Int, through last: Int,
        _ visit: (SourcePlace, Unicode.Scalar, _ before: (Unicode.Scalar, Unicode.Scalar)) -> Void
    ) {
        for line in max(1, first)...max(1, first, last) where line <= lines.count {
            var quote: Unicode.Scalar?
            var before: (Unicode.Scalar, Unicode.Scalar) = (" ", " ")
            for (index, character) in lines[line - 1].unicodeScalars.enumerated() {
                if quote == nil, character == "#", before.1 == " " { break }
                if quote == nil {
                    visit(SourcePlace(line: line, column: index + 1), character, before)
                }
                if character == quote {
                    quote = nil
                } else if quote == nil, character == "\"" || character == "'" {
                    quote = character
                }
                before = (before.1, character)
            }
        }
    }

    /// Whether nothing but blanks stands at a place and after it.
    ///
    /// - Parameter place: any place.
    /// - Returns: true at the end of the text.
    func isEnd(_ place: SourcePlace) -> Bool {
        let rest = lines.dropFirst(place.line - 1)
        let firstIsBlank = rest.first?.unicodeScalars.dropFirst(place.column - 1)
            .allSatisfy(\.properties.isWhitespace)
        return firstIsBlank ?? true
            && rest.dropFirst().allSatisfy { $0.allSatisfy(\.isWhitespace) }
    }

    /// Where a piece of text first stands in a line.
    ///
    /// - Parameters:
    ///   - piece: ASCII text.
    ///   - line: counted from 1.
    /// - Returns: the place; nil where the line has no such piece or does not exist.
    func place(of piece: String, inLine line: Int) -> SourcePlace? {
        guard lines.indices.contains(line - 1) else { return nil }
        let characters = Array(lines[line - 1].unicodeScalars)
        let wanted = Array(piece.unicodeScalars)
        guard characters.count >= wanted.count else { return nil }
        for start in 0...(characters.count - wanted.count)
        where characters[start..<(start + wanted.count)].elementsEqual(wanted) {
            return SourcePlace(line: line, column: start + 1)
        }
        return nil
    }
}

/// Turns the parser's complaint into what the author has to change.
enum SyntaxAdvice {
    /// What most likely made the parser give up, in the order of the file.
    ///
    /// - Parameters:
    ///   - fault: the parser's complaint.
    ///   - lines: the text.
    /// - Returns: places with sentences; empty when nothing in particular is suspected.
    static func causes(
        of fault: SyntaxFault, in lines: SourceLines
    ) -> [(place: SourcePlace, message: String)] {
        var found: [(place: SourcePlace, message: String)] = []
        lines.visitBare(from: 1, through: fault.place.line) { place, character, before in
            let opens = character == "/" || character == "*"
            if opens, before.1 == "/", isMargin(before.0), place.column > 1 {
                let start = SourcePlace(line: place.line, column: place.column - 1)
                found.append((start, ScalarCheck.commentAdvice))
            }
        }
        let near = (fault.place.line - 1, fault.place.line)
        lines.visitBare(from: near.0, through: near.1) { place, character, before in
            if ScalarCheck.isTypographicQuote(character), isMargin(before.1) {
                found.append((place, ScalarCheck.quoteAdvice(character)))
            } else if character == "{", before.1 == "{" {
                let start = SourcePlace(line: place.line, column: place.column - 1)
                found.append((start, "a text with {{ … }} must stand in quotes"))
            }
        }
        if found.isEmpty, let place = lines.place(of: "\\'", inLine: fault.place.line) {
            found.append((place, "inside single quotes write '' for a quote, or use double quotes"))
        }
        return found
    }

    /// The parser's words, with what to do about them where that is known.
    ///
    /// - Parameter fault: the parser's complaint.
    /// - Returns: one sentence.
    static func sentence(for fault: SyntaxFault) -> String {
        for (piece, advice) in advices where fault.message.contains(piece) {
            return "\(fault.message); \(advice)"
        }
        return fault.message
    }

    /// Pieces of libfyaml's messages, with the advice for each; the first that fits is used.
    private static let advices: [(piece: String, advice: String)] = [
        ("missing comma", "write a comma before this place, or look for a missing quote above"),
        ("without closing quote", "write the quote where the text ends"),
        ("expected node content", "look for a comma or colon too many"),
        ("mismatched", "the bracket that closes is not of the kind that was opened"),
        ("invalid extra closing", "remove the bracket, or look for one missing above"),
        ("nested block mapping on the same line", "put a text with a colon in quotes"),
        ("plain scalar cannot start with", "put the text in quotes"),
        ("trailing content", "write the next field on a line of its own"),
        ("multiline plain key", "look for a missing colon, quote or # near this line"),
        ("invalid value after mapping", "look for a missing colon, or for wrong indentation"),
        ("UTF8 escape", "write both halves of a surrogate pair, or the character itself"),
        ("escape", "write \\\\ for a backslash"),
    ]

    private static func isMargin(_ character: Unicode.Scalar) -> Bool {
        switch character {
        case " ", "\t", ",", "{", "}", "[", "]", "\"", "'": true
        default: false
        }
    }
}
