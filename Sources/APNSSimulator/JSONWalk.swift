// One strict pass over a JSON text (RFC 8259): nothing is built, nothing is allocated. The walk
// says whether the text is valid and tells a visitor about the members of the outer object and of
// the objects directly in it, which is all that judging a payload or reading a JWT needs.
//
// Text is valid only if it is one value with white space around it, in valid UTF-8, nested at most
// 32 deep. Member names are given as they stand in the text: a name written with escapes is not
// recognised, which no sender of `aps` does.

/// Is told about the members that a `JSONWalk` passes.
protocol JSONVisitor {
    /// A member of the outer object, after its value was walked.
    ///
    /// - Parameters:
    ///   - name: Where the name stands in the text, without its quotes.
    ///   - value: Where the value stands in the text, with its quotes or brackets.
    ///   - text: The whole text.
    mutating func member(name: Range<Int>, value: Range<Int>, of text: Span<UInt8>)

    /// A member of an object that is itself a member of the outer object.
    ///
    /// - Parameters:
    ///   - name: Where the name stands in the text, without its quotes.
    ///   - value: Where the value stands in the text.
    ///   - outerName: Where the name of the enclosing member stands.
    ///   - text: The whole text.
    mutating func innerMember(
        name: Range<Int>, value: Range<Int>, outerName: Range<Int>, of text: Span<UInt8>)
}

/// A strict validating pass over a JSON text.
struct JSONWalk<Visitor: JSONVisitor>: ~Copyable {
    private static var depthMax: Int { 32 }

    private(set) var visitor: Visitor
    private var position = 0
    /// The name of the outer object's member whose value is being walked; nil outside of one.
    private var outerName: Range<Int>?

    init(visitor: Visitor) {
        self.visitor = visitor
    }

    /// Walks the whole text once.
    ///
    /// - Parameter text: The JSON text.
    /// - Returns: Whether it is valid.
    mutating func walk(_ text: Span<UInt8>) -> Bool {
        skipWhiteSpace(text)
        guard value(text, depth: 0) else { return false }
        skipWhiteSpace(text)
        return position == text.count
    }

    private mutating func value(_ text: Span<UInt8>, depth: Int) -> Bool {
        guard position < text.count, depth < Self.depthMax else { return false }
        switch text[position] {
        case UInt8(ascii: "{"): return object(text, depth: depth)
        case UInt8(ascii: "["): return array(text, depth: depth)
        case UInt8(ascii: "\""): return string(text)
        case UInt8(ascii: "t"): return word("true", text)
        case UInt8(ascii: "f"): return word("false", text)
        case UInt8(ascii: "n"): return word("null", text)
        default: return number(text)
        }
    }

    private mutating func object(_ text: Span<UInt8>, depth: Int) -> Bool {
        position += 1
        skipWhiteSpace(text)
        if take(UInt8(ascii: "}"), text) { return true }
        repeat {
            skipWhiteSpace(text)
            guard member(text, depth: depth) else { return false }
            skipWhiteSpace(text)
        } while take(UInt8(ascii: ","), text)
        return take(UInt8(ascii: "}"), text)
    }

    private mutating func member(_ text: Span<UInt8>, depth: Int) -> Bool {
        let nameStart = position + 1
        guard position < text.count, text[position] == UInt8(ascii: "\""), string(text) else {
            return false
        }
        let name = nameStart..<(position - 1)
        if depth == 0 { outerName = name }
        skipWhiteSpace(text)
        guard take(UInt8(ascii: ":"), text) else { return false }
        skipWhiteSpace(text)
        let valueStart = position
        guard value(text, depth: depth + 1) else { return false }
        if depth == 0 {
            visitor.member(name: name, value: valueStart..<position, of: text)
        } else if depth == 1, let outerName {
            visitor.innerMember(
                name: name, value: valueStart..<position, outerName: outerName, of: text)
        }
        return true
    }

    private mutating func array(_ text: Span<UInt8>, depth: Int) -> Bool {
        position += 1
        skipWhiteSpace(text)
        if take(UInt8(ascii: "]"), text) { return true }
        repeat {
            skipWhiteSpace(text)
            guard value(text, depth: depth + 1) else { return false }
            skipWhiteSpace(text)
        } while take(UInt8(ascii: ","), text)
        return take(UInt8(ascii: "]"), text)
    }

    /// Walks a string from its opening quote.
    private mutating func string(_ text: Span<UInt8>) -> Bool {
        position += 1
        while position < text.count {
            skipPlain(text)
            guard position < text.count else { return false }
            let byte = text[position]
            if byte == UInt8(ascii: "\"") {
                position += 1
                return true
            }
            if byte == UInt8(ascii: "\\") {
                guard escape(text) else { return false }
            } else if byte < 0x80 {
                guard byte >= 0x20 else { return false }
                position += 1
            } else {
                guard let length = UTF8Sequence.length(in: text, at: position) else { return false }
                position += length
            }
        }
        return false
    }

    /// Steps over bytes that mean nothing in a string, eight at a time: most of a payload is such.
    ///
    /// A byte stops it by one of four tests, each of which sets the byte's high bit: not ASCII,
    /// below 0x20, a quotation mark, a backslash. A borrow may set the bit of a later byte too,
    /// which only stops it early; the caller looks at single bytes from there.
    private mutating func skipPlain(_ text: Span<UInt8>) {
        let ones: UInt64 = 0x0101_0101_0101_0101
        while position &+ 8 <= text.count {
            // Sound: the loop's condition leaves at least eight bytes after the position.
            let word = unsafe UInt64(
                littleEndian: text.bytes.unsafeLoadUnaligned(
                    fromByteOffset: position, as: UInt64.self))
            let quotes = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
            let slashes = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
            let stops =
                word | (word &- ones &* 0x20) | (quotes &- ones) | (slashes &- ones)
            let marked = stops & (ones &* 0x80)
            position &+= marked.trailingZeroBitCount / 8
            if marked != 0 { return }
        }
    }

    private mutating func escape(_ text: Span<UInt8>) -> Bool {
        guard position + 1 < text.count else { return false }
        switch text[position + 1] {
        case UInt8(ascii: "u"):
            guard position + 6 <= text.count else { return false }
            for index in (position + 2)..<(position + 6) where !HexDigits.isDigit(text[index]) {
                return false
            }
            position += 6
            return true
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
            UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
            return true
        default:
            return false
        }
    }

    private mutating func number(_ text: Span<UInt8>) -> Bool {
        _ = take(UInt8(ascii: "-"), text)
        if !take(UInt8(ascii: "0"), text) {
            guard digits(text) else { return false }
        }
        if take(UInt8(ascii: "."), text) {
            guard digits(text) else { return false }
        }
        if take(UInt8(ascii: "e"), text) || take(UInt8(ascii: "E"), text) {
            if !take(UInt8(ascii: "+"), text) { _ = take(UInt8(ascii: "-"), text) }
            guard digits(text) else { return false }
        }
        return true
    }

    private mutating func digits(_ text: Span<UInt8>) -> Bool {
        let start = position
        while position < text.count, text[position] &- UInt8(ascii: "0") <= 9 { position += 1 }
        return position > start
    }

    private mutating func word(_ word: StaticString, _ text: Span<UInt8>) -> Bool {
        guard position + word.utf8CodeUnitCount <= text.count else { return false }
        let candidate = text.extracting(position..<(position + word.utf8CodeUnitCount))
        guard Bytes.areEqual(candidate, word) else { return false }
        position += word.utf8CodeUnitCount
        return true
    }

    private mutating func take(_ byte: UInt8, _ text: Span<UInt8>) -> Bool {
        guard position < text.count, text[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func skipWhiteSpace(_ text: Span<UInt8>) {
        while position < text.count {
            switch text[position] {
            case 0x20, 0x09, 0x0A, 0x0D: position += 1
            default: return
            }
        }
    }
}

/// The well-formed UTF-8 sequences of more than one byte (RFC 3629, section 4).
enum UTF8Sequence {
    /// The length of the sequence that starts at a byte of 0x80 or more.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - position: Where the sequence starts.
    /// - Returns: 2, 3 or 4; nil if the bytes are no well-formed sequence.
    static func length(in text: Span<UInt8>, at position: Int) -> Int? {
        let lead = text[position]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch lead {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        case 0xF1...0xF3: length = 4
        default: return nil
        }
        guard position + length <= text.count, second.contains(text[position + 1]) else {
            return nil
        }
        for index in (position + 2)..<(position + length) where text[index] & 0xC0 != 0x80 {
            return nil
        }
        return length
    }
}
