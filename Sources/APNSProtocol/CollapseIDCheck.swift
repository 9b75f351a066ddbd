/// Why a text cannot be an `apns-collapse-id`.
package enum CollapseIDFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// An empty one merges nothing.
    case empty
    /// Longer than Apple allows; counted in bytes, so that `é` counts twice.
    case tooLong(bytes: Int)
    /// A character that no header may carry, or a blank at an end, which would be lost.
    case unfitForHeader

    /// What is wrong and what to write instead, fit to follow a field's name.
    package var description: String {
        switch self {
        case .empty: "is empty; leave it out, or give it a text"
        case .tooLong(let bytes):
            "is \(bytes) bytes long; Apple allows \(APNSLimits.collapseIDBytesMax) bytes "
                + "(a letter outside ASCII takes two or more)"
        case .unfitForHeader:
            "has a line break, another control character, or a blank at an end; remove it"
        }
    }
}

/// Checks that a text can be an `apns-collapse-id`.
///
/// *Source:* Apple, "Sending notification requests to APNs": at most 64 bytes.
package enum CollapseIDCheck {
    /// What is wrong with a collapse id.
    ///
    /// - Parameter text: The collapse id as it would be sent.
    /// - Returns: The fault, or nil if it may be sent.
    package static func fault(in text: String) -> CollapseIDFault? {
        if text.isEmpty { return .empty }
        if text.utf8.count > APNSLimits.collapseIDBytesMax {
            return .tooLong(bytes: text.utf8.count)
        }
        return HeaderField.isFit(text.utf8.span) ? nil : .unfitForHeader
    }
}
