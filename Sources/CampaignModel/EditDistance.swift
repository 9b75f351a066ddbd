/// Finds the word that a misspelt one was meant to be.
package enum EditDistance {
    /// The nearest of some words.
    ///
    /// - Parameters:
    ///   - word: what was written.
    ///   - words: what could have been meant.
    /// - Returns: nil when nothing is near: more than one change in three letters.
    static func nearest(to word: String, among words: [String]) -> String? {
        let written = Array(word.lowercased().unicodeScalars.prefix(longestWord))
        let candidates = words.map { candidate in
            (word: candidate, distance: distance(written, Array(candidate.unicodeScalars)))
        }
        guard let best = candidates.min(by: { $0.distance < $1.distance }) else { return nil }
        let tolerated = max(1, min(written.count, best.word.unicodeScalars.count) / 3)
        return best.distance <= tolerated ? best.word : nil
    }

    /// Whether one change makes one word the other, in words where that cannot be by chance.
    ///
    /// - Parameters:
    ///   - written: what was written.
    ///   - word: what could have been meant.
    /// - Returns: true for one change in a word of four letters or more.
    static func isOneChange(from written: String, to word: String) -> Bool {
        let letters = Array(written.lowercased().unicodeScalars.prefix(longestWord))
        return letters.count >= 4 && distance(letters, Array(word.unicodeScalars)) == 1
    }

    /// Longer words than this are nobody's typing error.
    private static let longestWord = 64

    /// Insertions, deletions, replacements and swaps of neighbours between two words (the optimal
    /// string alignment distance), in one table of three rows.
    ///
    /// - Parameters:
    ///   - left: one word.
    ///   - right: the other.
    /// - Returns: 0 for equal words.
    package static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var beforePrevious: [Int] = []
        var previous = Array(0...right.count)
        for (row, leftCharacter) in left.enumerated() {
            var current = [row + 1]
            for (column, rightCharacter) in right.enumerated() {
                let replaced = previous[column] + (leftCharacter == rightCharacter ? 0 : 1)
                var best = min(replaced, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, leftCharacter == right[column - 1],
                    left[row - 1] == rightCharacter
                {
                    best = min(best, beforePrevious[column - 1] + 1)
                }
                current.append(best)
            }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[right.count]
    }
}
