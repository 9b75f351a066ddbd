import DocumentText
import DocumentTree

/// Reads a text that must be right.
func parse(_ text: String) throws -> DocumentNode {
    try DocumentText.parse(Array(text.utf8), file: "f.json").get()
}

/// What is wrong with a text; nothing when it is right.
func faults(of text: String) -> [Diagnostic] {
    faults(of: Array(text.utf8))
}

/// What is wrong with the bytes of a file.
func faults(of bytes: [UInt8]) -> [Diagnostic] {
    switch DocumentText.parse(bytes, file: "f.json") {
    case .success: []
    case .failure(let faults): faults.list
    }
}

/// A tree on one line: quotes and bars show how a scalar was written.
func shape(of node: DocumentNode) -> String {
    switch node.content {
    case .scalar(let scalar):
        switch scalar.style {
        case .plain: scalar.text
        case .quoted: "\"\(scalar.text)\""
        case .block: "|\(scalar.text)"
        }
    case .sequence(let items): "[" + items.map(shape).joined(separator: ",") + "]"
    case .mapping(let entries):
        "{" + entries.map { "\($0.key)=\(shape(of: $0.value))" }.joined(separator: ",") + "}"
    }
}

extension DocumentNode {
    /// The entries, if it is a mapping.
    var mapping: [DocumentEntry]? {
        if case .mapping(let entries) = content { entries } else { nil }
    }

    /// The items, if it is a sequence.
    var sequence: [DocumentNode]? {
        if case .sequence(let items) = content { items } else { nil }
    }
}

/// A small generator with a seed, so that a failing case can be run again (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
