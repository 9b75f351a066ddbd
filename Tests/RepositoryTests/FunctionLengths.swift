/// How long each function of a file is, found by counting braces.
enum FunctionLengths {
    struct Function: Equatable {
        /// The line where the declaration begins, counted from 1.
        let line: Int
        /// From the declaration's first line to its closing brace.
        let lines: Int
    }

    /// Words that begin a declaration with a body of its own.
    private static let openers: Set<String> = ["func", "init", "deinit", "subscript"]
    /// Words that show that the declaration before had no body (a protocol's requirement).
    private static let nextDeclarations: Set<String> = [
        "func", "init", "deinit", "subscript", "var", "let", "case", "associatedtype",
    ]

    static func of(_ text: SwiftText) -> [Function] {
        var functions: [Function] = []
        let tokens = self.tokens(of: text)
        for (index, token) in tokens.enumerated() where openers.contains(token.text) {
            // A call of an initialiser is no declaration.
            if index > 0, tokens[index - 1].text == "." { continue }
            guard let end = endOfBody(tokens, after: index) else { continue }
            functions.append(Function(line: token.line, lines: end - token.line + 1))
        }
        return functions
    }

    /// The line of the brace that closes the declaration at `start`. Nil: it has no body.
    private static func endOfBody(_ tokens: [Token], after start: Int) -> Int? {
        var brackets = 0
        var braces = 0
        for token in tokens[(start + 1)...] {
            switch token.text {
            case "(", "[": brackets += 1
            case ")", "]": brackets -= 1
            case "{" where brackets == 0: braces += 1
            case "}" where brackets == 0:
                braces -= 1
                if braces == 0 { return token.line }
                if braces < 0 { return nil }
            case _ where braces == 0 && brackets == 0 && nextDeclarations.contains(token.text):
                return nil
            default: break
            }
        }
        return nil
    }

    private struct Token {
        let text: String
        let line: Int
    }

    /// Words and single signs of the code.
    private static func tokens(of text: SwiftText) -> [Token] {
        var tokens: [Token] = []
        for (index, line) in text.code.enumerated() {
            var word = ""
            for character in line.unicodeScalars + [" "] {
                if character.properties.isXIDContinue {
                    word.unicodeScalars.append(character)
                    continue
                }
                let sign = character == " " ? "" : String(character)
                tokens += [word, sign].filter { !$0.isEmpty }.map {
                    Token(text: $0, line: index + 1)
                }
                word = ""
            }
        }
        return tokens
    }
}
