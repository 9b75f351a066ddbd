internal import DocumentTree

/// Collects what is wrong with a scenario file while it is read.
final class ScenarioFaults {
    private let file: String
    /// In the order in which they were found.
    private(set) var list: [Diagnostic] = []

    init(file: String) {
        self.file = file
    }

    /// Notes a fault.
    func note(_ place: SourcePlace, _ path: String, _ message: String) {
        list.append(Diagnostic(file: file, place: place, fieldPath: path, message: message))
    }
}

/// A mapping of a scenario file, read field by field; what is wrong is noted and read as absent.
struct ScenarioFields {
    /// From the root; empty for the root.
    let path: String
    let place: SourcePlace
    let entries: [DocumentEntry]
    /// False: it was something else, which has been noted.
    let isMapping: Bool
    let faults: ScenarioFaults

    /// A mapping.
    ///
    /// - Parameters:
    ///   - node: the value; anything but a mapping is noted and read as an empty one.
    ///   - path: from the root.
    ///   - faults: takes what is wrong.
    init(_ node: DocumentNode, path: String, faults: ScenarioFaults) {
        self.path = path
        place = node.place
        self.faults = faults
        if case .mapping(let entries) = node.content {
            self.entries = entries
            isMapping = true
        } else {
            entries = []
            isMapping = false
            faults.note(node.place, path, "write fields in braces: { … }")
        }
    }

    func node(_ name: String) -> DocumentNode? { entries.first { $0.key == name }?.value }

    func has(_ name: String) -> Bool { node(name) != nil }

    /// Notes every field that is not one of these.
    func allow(_ names: [String]) {
        for entry in entries where !names.contains(entry.key) {
            let key = ShownText.quoted(entry.key)
            faults.note(
                entry.keyPlace, path,
                "unknown field \(key); the fields here are \(names.joined(separator: ", "))")
        }
    }

    // MARK: - Values

    /// Any text.
    func text(_ name: String) -> String? {
        guard let node = node(name) else { return nil }
        guard case .scalar(let scalar) = node.content else {
            fail(name, node, "write one value")
            return nil
        }
        return scalar.text
    }

    /// One of some words.
    func word<Word: RawRepresentable & CaseIterable>(
        _ name: String, _ words: Word.Type
    ) -> Word? where Word.RawValue == String {
        guard let node = node(name), let text = text(name) else { return nil }
        if let word = Word(rawValue: text) { return word }
        let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
        fail(name, node, "\(ShownText.quoted(text)) is none of \(known)")
        return nil
    }

    /// A whole number.
    func number(_ name: String, _ range: ClosedRange<Int>) -> Int? {
        guard let node = node(name), let text = text(name) else { return nil }
        if let number = Int(text), range.contains(number) { return number }
        fail(
            name, node,
            "write a whole number from \(range.lowerBound) to \(range.upperBound)")
        return nil
    }

    /// A share of all: `0.05` or `5%`.
    func share(_ name: String) -> Double? {
        guard let node = node(name), let text = text(name) else { return nil }
        let isPercent = text.hasSuffix("%")
        let digits = isPercent ? String(text.dropLast()) : text
        if let number = Double(digits) {
            let share = isPercent ? number / 100 : number
            if (0...1).contains(share) { return share }
        }
        fail(name, node, "write a share such as 5% or 0.05")
        return nil
    }

    /// A length of time such as `200ms`, `3s`, `15m`, `1h`, in nanoseconds; a day at most.
    func duration(_ name: String) -> Int64? {
        guard let node = node(name), let text = text(name) else { return nil }
        let digits = text.prefix { $0.isNumber }
        let units: [Substring: Int64] = [
            "ms": 1_000_000, "s": 1_000_000_000, "m": 60_000_000_000, "h": 3_600_000_000_000,
        ]
        if let unit = units[text.dropFirst(digits.count)], let count = Int64(digits),
            count <= Self.nanosecondsMax / unit
        {
            return count * unit
        }
        fail(name, node, "write a time such as 200ms, 3s, 15m or 1h")
        return nil
    }

    private static let nanosecondsMax: Int64 = 86_400_000_000_000

    /// The items of a list.
    func items(_ name: String) -> [DocumentNode] {
        guard let node = node(name) else { return [] }
        guard case .sequence(let items) = node.content else {
            fail(name, node, "write a list in brackets: [ … ]")
            return []
        }
        return items
    }

    // MARK: - Faults

    /// The path of a field of this mapping.
    func path(of name: String) -> String {
        PathText.joined([path, PathText.part(name)].filter { !$0.isEmpty })
    }

    private func fail(_ name: String, _ node: DocumentNode, _ message: String) {
        faults.note(node.place, path(of: name), message)
    }
}
