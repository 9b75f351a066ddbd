/// Finds what somebody probably meant to type.
enum NearestName {
    /// The most edits between a word and a suggestion: more than this and it is another word.
    private static let editsMax = 3

    /// The name nearest to `word`.
    ///
    /// - Parameters:
    ///   - word: what was typed.
    ///   - names: what would have been right; the first of equally near ones wins.
    /// - Returns: nil if nothing is near enough: three edits, and fewer than half of the word.
    static func of(_ word: String, among names: [String]) -> String? {
        let limit = min(editsMax, max(1, word.count / 2))
        var best: (name: String, edits: Int)?
        for name in names {
            let edits = distance(Array(word.utf8), Array(name.utf8))
            if edits <= limit, edits < best?.edits ?? .max { best = (name, edits) }
        }
        return best?.name
    }

    /// The number of inserted, removed, replaced and swapped bytes between two words (optimal
    /// string alignment: like Levenshtein's, with a swap of neighbours as one edit).
    static func distance(_ first: [UInt8], _ second: [UInt8]) -> Int {
        var beforePrevious: [Int] = []
        var previous = Array(0...second.count)
        for row in first.indices {
            var current = [row + 1]
            for column in second.indices {
                let replaced = previous[column] + (first[row] == second[column] ? 0 : 1)
                var edits = min(replaced, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, first[row] == second[column - 1],
                    first[row - 1] == second[column]
                {
                    edits = min(edits, beforePrevious[column - 1] + 1)
                }
                current.append(edits)
            }
            beforePrevious = previous
            previous = current
        }
        return previous[second.count]
    }
}
