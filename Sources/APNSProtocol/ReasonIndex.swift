/// The texts of the reason table in the order of their lengths, for a look-up without allocation.
///
/// `candidates` is ordered by length; those of length n are
/// `candidates[firstOfLength[n] ..< firstOfLength[n + 1]]`.
struct ReasonIndex: Sendable {
    struct Candidate: Sendable {
        let code: ReasonCode
        /// Where the text begins in `texts`.
        let offset: Int
    }

    let texts: [UInt8]
    let candidates: [Candidate]
    let firstOfLength: [Int]

    init(_ rows: [ReasonRow]) {
        let ordered = rows.sorted { $0.wire.utf8.count < $1.wire.utf8.count }
        var texts: [UInt8] = []
        var candidates: [Candidate] = []
        var firstOfLength: [Int] = []
        for length in 0...(ReasonTable.wireBytesMax + 1) {
            firstOfLength.append(candidates.count)
            for row in ordered where row.wire.utf8.count == length {
                candidates.append(Candidate(code: row.code, offset: texts.count))
                texts.append(contentsOf: row.wire.utf8)
            }
        }
        self.texts = texts
        self.candidates = candidates
        self.firstOfLength = firstOfLength
    }

    /// The code of the text, or nil. `wire` has at most `ReasonTable.wireBytesMax` bytes.
    func code(of wire: Span<UInt8>) -> ReasonCode? {
        let range = firstOfLength[wire.count]..<firstOfLength[wire.count + 1]
        for candidate in range where isEqual(wire, at: candidates[candidate].offset) {
            return candidates[candidate].code
        }
        return nil
    }

    func isEqual(_ wire: Span<UInt8>, at offset: Int) -> Bool {
        for position in 0..<wire.count where wire[position] != texts[offset + position] {
            return false
        }
        return true
    }
}
