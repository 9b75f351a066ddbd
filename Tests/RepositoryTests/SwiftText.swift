/// A Swift file with what is no code blanked out, so that rules can look for words without being
/// fooled by texts and comments.
///
/// Blanking keeps every line end, so line numbers stay. It is no parser: an interpolation counts as
/// part of its text.
struct SwiftText {
    /// Lines without texts and comments.
    let code: [String]
    /// Lines without texts, but with comments.
    let codeAndComments: [String]

    init(_ text: String) { self.init(Array(text.utf8)) }

    init(_ bytes: [UInt8]) {
        var scanner = Scanner(bytes: bytes)
        scanner.scan()
        code = Self.lines(scanner.code)
        codeAndComments = Self.lines(scanner.codeAndComments)
    }

    private static func lines(_ bytes: [UInt8]) -> [String] {
        bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

private struct Scanner {
    private enum Kind { case code, comment, text }

    private let bytes: [UInt8]
    private var position = 0
    private(set) var code: [UInt8] = []
    private(set) var codeAndComments: [UInt8] = []

    init(bytes: [UInt8]) {
        self.bytes = bytes
        code.reserveCapacity(bytes.count)
        codeAndComments.reserveCapacity(bytes.count)
    }

    mutating func scan() {
        while position < bytes.count {
            if sees("//") {
                while position < bytes.count, bytes[position] != UInt8(ascii: "\n") {
                    take(.comment)
                }
            } else if sees("/*") {
                scanBlockComment()
            } else if let hashes = hashesOfText() {
                scanText(hashes: hashes)
            } else {
                take(.code)
            }
        }
    }

    private func sees(_ word: StaticString, at offset: Int = 0) -> Bool {
        let start = position + offset
        guard start + word.utf8CodeUnitCount <= bytes.count else { return false }
        return (0..<word.utf8CodeUnitCount).allSatisfy { bytes[start + $0] == word.utf8Start[$0] }
    }

    /// Takes bytes over: code into both results, a comment into one, a text into none.
    private mutating func take(_ kind: Kind, _ count: Int = 1) {
        for byte in bytes[position..<min(position + count, bytes.count)] {
            let blank = byte == UInt8(ascii: "\n") ? byte : UInt8(ascii: " ")
            code.append(kind == .code ? byte : blank)
            codeAndComments.append(kind == .text ? blank : byte)
        }
        position += count
    }

    private mutating func scanBlockComment() {
        var depth = 0
        repeat {
            if sees("/*") {
                depth += 1
                take(.comment, 2)
            } else if sees("*/") {
                depth -= 1
                take(.comment, 2)
            } else {
                take(.comment)
            }
        } while depth > 0 && position < bytes.count
    }

    /// The number of `#` before the quote of a text that begins here. Nil: none begins.
    private func hashesOfText() -> Int? {
        var count = 0
        while sees("#", at: count) { count += 1 }
        return sees("\"", at: count) ? count : nil
    }

    private mutating func scanText(hashes: Int) {
        take(.text, hashes)
        let quotes = sees("\"\"\"") ? 3 : 1
        take(.text, quotes)
        while position < bytes.count {
            if closes(quotes: quotes, hashes: hashes) {
                take(.text, quotes + hashes)
                return
            }
            if escapes(hashes: hashes) {
                take(.text, 1 + hashes)
                if sees("(") { scanInterpolation() } else { take(.text) }
            } else if quotes == 1, bytes[position] == UInt8(ascii: "\n") {
                return
            } else {
                take(.text)
            }
        }
    }

    private func closes(quotes: Int, hashes: Int) -> Bool {
        (0..<quotes).allSatisfy { sees("\"", at: $0) }
            && (0..<hashes).allSatisfy { sees("#", at: quotes + $0) }
    }

    private func escapes(hashes: Int) -> Bool {
        sees("\\") && (0..<hashes).allSatisfy { sees("#", at: 1 + $0) }
    }

    private mutating func scanInterpolation() {
        var depth = 0
        repeat {
            if let hashes = hashesOfText() {
                scanText(hashes: hashes)
                continue
            }
            if sees("(") { depth += 1 }
            if sees(")") { depth -= 1 }
            take(.text)
        } while depth > 0 && position < bytes.count
    }
}
