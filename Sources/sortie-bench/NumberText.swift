/// Numbers as the tables show them.
enum NumberText {
    /// Three digits that matter: 0.35, 2.13, 47.2, 389,000.
    static func short(_ value: Double) -> String {
        let size = abs(value)
        if size >= 1_000 { return grouped(Int((value / 1_000).rounded()) * 1_000, below: size) }
        if size >= 100 { return String(Int(value.rounded())) }
        return fixed(value, digits: size >= 10 ? 1 : 2)
    }

    /// A number with so many digits after the point.
    static func fixed(_ value: Double, digits: Int) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let scaled = Int((abs(value) * scale).rounded())
        let whole = "\(value < 0 && scaled > 0 ? "-" : "")\(scaled / Int(scale))"
        if digits == 0 { return whole }
        let rest = String(scaled % Int(scale))
        return whole + "." + String(repeating: "0", count: digits - rest.count) + rest
    }

    /// A whole number with commas between its thousands.
    static func grouped(_ value: Int) -> String {
        let digits = Array(String(value.magnitude))
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return value < 0 ? "-" + text : text
    }

    /// Rounded to thousands where that is three digits or more, else whole.
    private static func grouped(_ rounded: Int, below size: Double) -> String {
        grouped(size >= 100_000 ? rounded : Int(size.rounded()))
    }
}
