internal import CampaignModel

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
            let edits = EditDistance.distance(
                Array(word.unicodeScalars), Array(name.unicodeScalars))
            if edits <= limit, edits < best?.edits ?? .max { best = (name, edits) }
        }
        return best?.name
    }
}
