/// The one table of every reason APNs gives, and the look-up in it.
///
/// Looking up is part of judging an answer, so it allocates nothing: the texts lie end to end in
/// one array, ordered by length, and only those of the right length are compared. At most five
/// reasons share a length.
package enum ReasonTable {
    /// The longest reason of the table, in bytes.
    static let wireBytesMax = 32

    /// Finds the reason that APNs wrote.
    ///
    /// - Parameter wire: The reason's bytes as they stand in the answer, without the quotes.
    /// - Returns: Its code, or nil if the table does not have it.
    package static func code(forWireBytes wire: Span<UInt8>) -> ReasonCode? {
        guard wire.count <= wireBytesMax else { return nil }
        return index.code(of: wire)
    }

    /// Finds the row of a code.
    ///
    /// - Parameter code: The reason.
    /// - Returns: Its row, or nil for `none`, `unlisted`, and codes made by a registry.
    package static func row(_ code: ReasonCode) -> ReasonRow? {
        guard Int(code.rawValue) < rowOfCode.count else { return nil }
        return rowOfCode[Int(code.rawValue)]
    }

    /// The texts arranged for the look-up.
    static let index = ReasonIndex(rows)

    /// Row by code; the code 0 has none.
    private static let rowOfCode: [ReasonRow?] = {
        var result = [ReasonRow?](repeating: nil, count: rows.count + 1)
        for row in rows { result[Int(row.code.rawValue)] = row }
        return result
    }()

    /// Verdict and status by code, compact: what `Judgement` reads for every answer but a 200.
    static let judgements: [KnownJudgement?] = rowOfCode.map { row in
        row.map { KnownJudgement(status: $0.status, verdict: $0.verdict) }
    }
}

/// The part of a row that judging needs, without the texts: copying it retains nothing.
struct KnownJudgement: Sendable {
    let status: Int
    let verdict: Verdict
}
