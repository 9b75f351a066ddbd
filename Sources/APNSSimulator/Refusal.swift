internal import APNSProtocol

/// The reasons that the simulator answers with by its own judgement.
///
/// Status codes and meanings are those of `ReasonTable`; this list only says which of its rows the
/// simulator has a rule for. The raw value counts them from 0.
/// Source: Apple, "Handling notification responses from APNs".
package enum Refusal: Int, Sendable, CaseIterable {
    case badCollapseID
    case badDeviceToken
    case badExpirationDate
    case badMessageID
    case badPath
    case badPriority
    case badTopic
    case deviceTokenNotForTopic
    case duplicateHeaders
    case expiredProviderToken
    case invalidProviderToken
    case invalidPushType
    case methodNotAllowed
    case missingDeviceToken
    case missingProviderToken
    case missingTopic
    case payloadEmpty
    case payloadTooLarge
    case serviceUnavailable
    case tooManyProviderTokenUpdates
    case topicDisallowed
    case unregistered

    /// The reason as it stands on the wire.
    package var reason: String {
        switch self {
        case .badCollapseID: "BadCollapseId"
        case .badDeviceToken: "BadDeviceToken"
        case .badExpirationDate: "BadExpirationDate"
        case .badMessageID: "BadMessageId"
        case .badPath: "BadPath"
        case .badPriority: "BadPriority"
        case .badTopic: "BadTopic"
        case .deviceTokenNotForTopic: "DeviceTokenNotForTopic"
        case .duplicateHeaders: "DuplicateHeaders"
        case .expiredProviderToken: "ExpiredProviderToken"
        case .invalidProviderToken: "InvalidProviderToken"
        case .invalidPushType: "InvalidPushType"
        case .methodNotAllowed: "MethodNotAllowed"
        case .missingDeviceToken: "MissingDeviceToken"
        case .missingProviderToken: "MissingProviderToken"
        case .missingTopic: "MissingTopic"
        case .payloadEmpty: "PayloadEmpty"
        case .payloadTooLarge: "PayloadTooLarge"
        case .serviceUnavailable: "ServiceUnavailable"
        case .tooManyProviderTokenUpdates: "TooManyProviderTokenUpdates"
        case .topicDisallowed: "TopicDisallowed"
        case .unregistered: "Unregistered"
        }
    }

    /// The status that comes with it.
    package var status: Int {
        let code = ReasonTable.code(forWireBytes: reason.utf8.span)
        guard let row = code.flatMap(ReasonTable.row) else {
            preconditionFailure("the table of reasons has no row for \(reason)")
        }
        return row.status
    }
}
