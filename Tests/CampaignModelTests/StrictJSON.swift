/// Judges whether bytes are strict JSON, written for these tests alone so that it shares no mistake
/// with the code under test.
///
/// Source: RFC 8259, sections 2 to 7.
struct StrictJSON {
    private let bytes: [UInt8]
    private var index = 0
    /// The keys of the outermost object, as written between their quotes.
    private(set) var rootKeys: [String] = []
    private var depth = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Whether the whole text is one value, without blanks.
    static func accepts(_ text: String) -> Bool {
        var json = StrictJSON(text)
        return json.value() && json.index == json.bytes.count
    }

    /// The keys of the outermost object; nil when the text is no strict JSON.
    static func rootKeys(_ text: String) -> [String]? {
        var json = StrictJSON(text)
        return json.value() && json.index == json.bytes.count ? json.rootKeys : nil
    }

    private mutating func value() -> Bool {
        switch peek {
        case UInt8(ascii: "{"): return group(close: "}", isObject: true)
        case UInt8(ascii: "["): return group(close: "]", isObject: false)
        case UInt8(ascii: "\""): return string() != nil
        case UInt8(ascii: "t"): return word("true")
        case UInt8(ascii: "f"): return word("false")
        case UInt8(ascii: "n"): return word("null")
        default: return number()
        }
    }

    private mutating func group(close: Unicode.Scalar, isObject: Bool) -> Bool {
        index += 1
        depth += 1
        defer { depth -= 1 }
        if take(close) { return true }
        repeat {
            if isObject {
                guard let key = string(), take(":") else { return false }
                if depth == 1 { rootKeys.append(key) }
            }
            guard value() else { return false }
        } while take(",")
        return take(close)
    }

    private mutating func string() -> String? {
        guard take("\"") else { return nil }
        let start = index
        while let byte = peek, byte >= 0x20 {
            index += 1
            if byte == UInt8(ascii: "\"") {
                return String(validating: bytes[start..<(index - 1)], as: UTF8.self)
            }
            guard byte == UInt8(ascii: "\\") else { continue }
            guard let escape = peek, "\"\\/bfnrtu".utf8.contains(escape) else { return nil }
            index += 1
            if escape == UInt8(ascii: "u") {
                let digits = bytes[index...].prefix(4)
                guard digits.count == 4,
                    digits.allSatisfy({ "0123456789abcdefABCDEF".utf8.contains($0) })
                else { return nil }
                index += 4
            }
        }
        return nil
    }

    private mutating func number() -> Bool {
        _ = take("-")
        if !take("0"), digits() == 0 { return false }
        if take("."), digits() == 0 { return false }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            return digits() > 0
        }
        return true
    }

    private mutating func digits() -> Int {
        let start = index
        while let byte = peek, (0x30...0x39).contains(byte) { index += 1 }
        return index - start
    }

    private mutating func word(_ word: String) -> Bool {
        guard bytes[index...].starts(with: word.utf8) else { return false }
        index += word.utf8.count
        return true
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }
}
