/// The reasons of one stream of answers: the table's, and texts that the table does not know.
///
/// New reasons appear every year, so an unknown one is kept under its own text. A server that
/// makes up texts cannot fill the memory: their number and length are bounded.
/// *Ownership and thread*: a value; each event loop has its own, and the codes it makes are
/// understood together with it only.
package struct ReasonRegistry: Sendable {
    /// How many unknown texts are kept; Apple's whole list is a tenth of that.
    package static let internedMax = 256

    /// The longest unknown text, in bytes; Apple's longest is half of that.
    package static let textBytesMax = 64

    private var interned: [String] = []

    /// A registry that knows the table only.
    package init() {}

    /// Finds the code of a reason, giving a new one to a text not seen before.
    ///
    /// - Parameter bytes: The reason as it stands in the answer, without the quotes.
    /// - Returns: `none` if it is empty, the table's code if the table has it, else the registry's
    ///   own, or `unlisted` once `internedMax` unknown texts are kept.
    /// - Complexity: Allocates for an unknown text only.
    package mutating func code(for bytes: Span<UInt8>) -> ReasonCode {
        if bytes.isEmpty { return .none }
        if let known = ReasonTable.code(forWireBytes: bytes) { return known }
        let text = SafeText.make(from: bytes, bytesMax: Self.textBytesMax)
        if let position = interned.firstIndex(of: text) { return Self.code(at: position) }
        guard interned.count < Self.internedMax else { return .unlisted }
        interned.append(text)
        return Self.code(at: interned.count - 1)
    }

    /// The text of a reason.
    ///
    /// - Parameter code: A code of the table or of this registry.
    /// - Returns: The text as APNs wrote it, made safe; empty for `none`.
    package func text(of code: ReasonCode) -> String {
        if let row = ReasonTable.row(code) { return row.wire }
        if code == .unlisted { return "(a reason that was not kept)" }
        let position = Int(code.rawValue) - Int(ReasonCode.firstInterned)
        guard interned.indices.contains(position) else { return "" }
        return interned[position]
    }

    private static func code(at position: Int) -> ReasonCode {
        ReasonCode(rawValue: ReasonCode.firstInterned + UInt16(position))
    }
}
