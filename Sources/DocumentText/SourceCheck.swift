internal import DocumentTree

/// Judges the bytes of a file before the parser sees them.
///
/// libfyaml ends a document without a word at a NUL or at a byte that is not UTF-8, so a file in
/// another encoding would be read in part; here it is refused by the name of its encoding.
enum SourceCheck {
    /// The text of a file without its byte-order mark.
    ///
    /// - Parameters:
    ///   - bytes: the whole file.
    ///   - file: the file as the user named it.
    ///   - bytesMax: the largest file in bytes.
    /// - Returns: valid UTF-8 with no control character but tab, CR and LF.
    /// - Throws: one sentence when the bytes are no such text.
    static func utf8Text(
        _ bytes: [UInt8], file: String, bytesMax: Int
    ) throws(Diagnostics) -> ArraySlice<UInt8> {
        guard bytes.count <= bytesMax else {
            throw fault(
                file, .start,
                "the file has \(bytes.count) bytes; at most \(bytesMax) are read")
        }
        if let encoding = foreignEncoding(of: bytes) {
            throw fault(
                file, .start, "the file is in \(encoding); save it as UTF-8 and try again")
        }
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
        if let (offset, sentence) = firstFault(in: text) {
            throw fault(file, place(of: offset, in: text), sentence)
        }
        return text
    }

    private static func fault(
        _ file: String, _ place: SourcePlace, _ message: String
    ) -> Diagnostics {
        Diagnostics([Diagnostic(file: file, place: place, message: message)])
    }

    /// The encoding by its byte-order mark or, without one, by the NUL bytes among the first few.
    private static func foreignEncoding(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0xFF, 0xFE, 0, 0]) { return "UTF-32 (little-endian)" }
        if bytes.starts(with: [0, 0, 0xFE, 0xFF]) { return "UTF-32 (big-endian)" }
        if bytes.starts(with: [0xFF, 0xFE]) { return "UTF-16 (little-endian)" }
        if bytes.starts(with: [0xFE, 0xFF]) { return "UTF-16 (big-endian)" }
        guard bytes.count >= 4 else { return nil }
        // The first two characters of a document are ASCII: a brace, a blank, a letter, a `#`.
        switch (bytes[0] == 0, bytes[1] == 0, bytes[2] == 0, bytes[3] == 0) {
        case (false, true, false, true): return "UTF-16 (little-endian, no byte-order mark)"
        case (true, false, true, false): return "UTF-16 (big-endian, no byte-order mark)"
        default: return nil
        }
    }

    private static func firstFault(in text: ArraySlice<UInt8>) -> (offset: Int, String)? {
        var index = text.startIndex
        while index < text.endIndex {
            let byte = text[index]
            if byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D {
                let name = ShownText.codePoint(Unicode.Scalar(byte))
                return (index, "the control character \(name) stands here; remove it")
            }
            guard let length = sequenceLength(in: text, at: index) else {
                return (index, notUTF8(byte))
            }
            index += length
        }
        return nil
    }

    private static func notUTF8(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return "the byte 0x\(digits) is not UTF-8, perhaps the file is in Windows-1252 or "
            + "ISO 8859-1; save it as UTF-8 and try again"
    }

    /// The length of the UTF-8 sequence at an index; nil where there is none.
    ///
    /// Source: RFC 3629, section 4.
    private static func sequenceLength(in text: ArraySlice<UInt8>, at index: Int) -> Int? {
        let second: ClosedRange<UInt8>
        let length: Int
        switch text[index] {
        case 0...0x7F: return 1
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return nil
        }
        guard text.endIndex - index >= length, second.contains(text[index + 1]) else { return nil }
        let rest = text[(index + 2)..<(index + length)]
        return rest.allSatisfy { (0x80...0xBF).contains($0) } ? length : nil
    }

    /// Line and column of a byte; what stands before it is UTF-8.
    private static func place(of offset: Int, in text: ArraySlice<UInt8>) -> SourcePlace {
        var line = 1
        var column = 1
        for byte in text[..<offset] {
            if byte == 0x0A {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return SourcePlace(line: line, column: column)
    }
}
