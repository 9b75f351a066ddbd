/// Checks that a text can be an `apns-topic`: a bundle id and nothing else.
///
/// *Source:* Apple, "CFBundleIdentifier": letters, digits, hyphen and period.
package enum TopicCheck {
    /// What is wrong with a topic.
    ///
    /// - Parameter topic: The text from a campaign or configuration file, exactly as written.
    /// - Returns: The fault, or nil if the topic may be sent.
    package static func fault(in topic: String) -> TopicFault? {
        let scalars = topic.unicodeScalars
        if scalars.allSatisfy(isBlank) { return .empty }
        if topic.utf8.count > APNSLimits.topicBytesMax { return .tooLong(bytes: topic.utf8.count) }
        for scalar in scalars where !isAllowed(scalar) { return fault(for: scalar) }
        let hasEmptyPart = topic.split(separator: ".", omittingEmptySubsequences: false)
            .contains { $0.isEmpty }
        return hasEmptyPart ? .emptyPart : nil
    }

    private static func fault(for scalar: Unicode.Scalar) -> TopicFault {
        switch scalar {
        case "<", ">": .angleBrackets
        case "\"", "'", "\u{201C}", "\u{201D}": .quotationMarks
        case _ where isBlank(scalar): .blanks
        default: .foreignCharacter(scalar)
        }
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", ".": true
        default: false
        }
    }
}
