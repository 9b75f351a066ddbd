/// Bare words of a file that mean numbers, brought into the form of strict JSON.
///
/// Digits are never computed with, so large integers and trailing zeros stay as written. Forms that
/// people write and JSON does not have are rewritten: `+1`, `.5`, `5.`, `0xff`. A number with a
/// leading zero such as `0042` is a code, not a number, and stays text.
enum JSONNumber {
    /// What a bare word is.
    enum Reading: Equatable {
        /// A number in the form of RFC 8259, section 6.
        case number(String)
        /// `NaN` or an infinity.
        case notFinite
        /// A hexadecimal number of more than 64 bits.
        case tooLong
        /// No number.
        case text
    }

    /// What a bare word is.
    ///
    /// - Parameter word: as written.
    /// - Returns: its reading.
    static func reading(of word: String) -> Reading {
        let isNegative = word.hasPrefix("-")
        let unsigned = isNegative || word.hasPrefix("+") ? word.dropFirst() : word[...]
        switch unsigned {
        case "NaN", "Infinity", ".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF": return .notFinite
        default: break
        }
        let sign = isNegative ? "-" : ""
        if unsigned.hasPrefix("0x") || unsigned.hasPrefix("0X") {
            return hexadecimal(unsigned.dropFirst(2), sign)
        }
        return decimal(unsigned).map { .number(sign + $0) } ?? .text
    }

    private static func hexadecimal(_ digits: Substring, _ sign: String) -> Reading {
        guard !digits.isEmpty, digits.allSatisfy({ $0.isHexDigit && $0.isASCII }) else {
            return .text
        }
        guard let number = UInt64(digits, radix: 16) else { return .tooLong }
        return .number(sign + String(number))
    }

    /// Splits digits, fraction and exponent, and puts in the zero that JSON wants.
    private static func decimal(_ word: Substring) -> String? {
        var rest = word.utf8[...]
        let whole = digits(&rest)
        var fraction = ""
        var hasPoint = false
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            hasPoint = true
            fraction = digits(&rest)
        }
        guard let exponent = exponent(&rest), rest.isEmpty else { return nil }
        guard !whole.isEmpty || !fraction.isEmpty else { return nil }
        if whole.count > 1, whole.hasPrefix("0") { return nil }
        let start = whole.isEmpty ? "0" : whole
        return hasPoint && !fraction.isEmpty ? "\(start).\(fraction)\(exponent)" : start + exponent
    }

    /// An exponent such as `e+10`; empty where there is none, nil where it has no digits.
    private static func exponent(_ rest: inout Substring.UTF8View) -> String? {
        guard rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") else { return "" }
        rest.removeFirst()
        var sign = ""
        if let first = rest.first, first == UInt8(ascii: "+") || first == UInt8(ascii: "-") {
            sign = first == UInt8(ascii: "-") ? "-" : "+"
            rest.removeFirst()
        }
        let digits = digits(&rest)
        return digits.isEmpty ? nil : "e" + sign + digits
    }

    private static func digits(_ rest: inout Substring.UTF8View) -> String {
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        rest = rest[digits.endIndex...]
        return String(Substring(digits))
    }
}
