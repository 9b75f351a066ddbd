// What APNs answers to a request, in a fixed order: the first rule that is broken gives the answer.
// Apple documents only that the credential comes before the token; the rest of the order, and the
// rules marked "chosen", are this simulator's.
//
//    1. credential: missing, malformed or wrong, expired, renewed too often
//    2. method            405 MethodNotAllowed
//    3. path              404 BadPath; 400 MissingDeviceToken
//    4. token's form      400 BadDeviceToken: hex, even, neither absurdly short nor long
//    5. topic             400 MissingTopic, BadTopic, TopicDisallowed (unknown, or wrong suffix)
//    6. push type         400 InvalidPushType: none of Apple's
//    7. priority          400 BadPriority: not 10, 5 or 1; or 10 (which is the default) with
//                         push type background (chosen: Apple calls it an error without a reason)
//    8. expiration        400 BadExpirationDate: no whole seconds since 1970
//    9. collapse id       400 BadCollapseId: more than 64 bytes
//   10. apns-id           400 BadMessageId: no UUID
//   11. duplicates        400 DuplicateHeaders: a field the rules know, twice
//   12. payload           400 PayloadEmpty: no bytes, or (chosen) no JSON object with a member;
//                         413 PayloadTooLarge;
//                         400 InvalidPushType (chosen) where push type and content disagree:
//                         background with alert, badge or sound or without content-available,
//                         alert with none of alert, badge and sound
//   13. the token's fate  400 BadDeviceToken, DeviceTokenNotForTopic, 410 Unregistered

internal import APNSProtocol

/// What was found about a request's credential.
package enum CredentialRuling: Sendable, Equatable {
    /// It is good, or none is asked for.
    case accepted
    /// It is refused for this reason.
    case refused(Refusal)
}

/// What is answered to a request.
package enum Ruling: Sendable, Equatable {
    /// 200.
    case accepted
    /// The reason's own status with that reason.
    case refused(Refusal)
    /// 410 `Unregistered` with the time of death, in milliseconds since 1970 UTC.
    case gone(timestampMilliseconds: Int64)
    /// Nothing, ever.
    case ignored
}

/// Judges requests as strictly as Apple's pages say; a pure function of what it is given.
struct RequestJudge: Sendable {
    /// Bundle ids that may be pushed to; empty: any.
    private let topics: [[UInt8]]
    let fates: TokenFates

    init(topics: [String], fates: TokenFates) {
        self.topics = topics.map { Array($0.utf8) }
        self.fates = fates
    }

    /// Rules on a complete request. Allocates nothing.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - credential: What was found about its credential.
    ///   - tokenHash: The hash of its token under the fates' seed; not looked at unless the path
    ///     names a token.
    /// - Returns: What to answer.
    func ruling(
        on request: borrowing RequestIntake, credential: CredentialRuling, tokenHash: UInt64
    ) -> Ruling {
        if case .refused(let refusal) = credential { return .refused(refusal) }
        if let refusal = addressRefusal(request) { return .refused(refusal) }
        if let refusal = topicRefusal(request) { return .refused(refusal) }
        if let refusal = headerRefusal(request) { return .refused(refusal) }
        if let refusal = payloadRefusal(request) { return .refused(refusal) }
        switch fates.fate(ofHash: tokenHash) {
        case .good: return .accepted
        case .dead(let time): return .gone(timestampMilliseconds: time)
        case .otherEnvironment: return .refused(.badDeviceToken)
        case .wrongTopic: return .refused(.deviceTokenNotForTopic)
        case .ignored: return .ignored
        }
    }

    private func addressRefusal(_ request: borrowing RequestIntake) -> Refusal? {
        guard request.isPost else { return .methodNotAllowed }
        switch request.pathForm {
        case .other: return .badPath
        case .noToken: return .missingDeviceToken
        case .token: break
        }
        let digits = APNSLimits.tokenDigitsMin...APNSLimits.tokenDigitsMax
        guard digits.contains(request.token.count), request.token.count % 2 == 0,
            HexDigits.areAll(request.token.span)
        else { return .badDeviceToken }
        return nil
    }

    private func topicRefusal(_ request: borrowing RequestIntake) -> Refusal? {
        guard !request.topic.isEmpty else { return .missingTopic }
        let topic = request.topic.span
        guard Self.isTopicForm(topic) else { return .badTopic }
        // An unknown push type has its own rule; until then it counts as one without a suffix.
        let suffix = PushTypeRule.all[request.pushType ?? 0].topicSuffix
        let bundleBytes = topic.count - suffix.utf8CodeUnitCount
        guard bundleBytes > 0, Bytes.areEqual(topic.extracting(droppingFirst: bundleBytes), suffix)
        else { return .topicDisallowed }
        return isKnown(topic.extracting(first: bundleBytes)) ? nil : .topicDisallowed
    }

    /// A bundle id: letters, digits, hyphens and dots.
    /// Source: Apple, "CFBundleIdentifier".
    private static func isTopicForm(_ topic: Span<UInt8>) -> Bool {
        for index in topic.indices {
            let byte = topic[index]
            let isDigit = byte &- UInt8(ascii: "0") <= 9
            let isLetter = (byte | 0x20) &- UInt8(ascii: "a") <= 25
            let isMark = byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
            guard isDigit || isLetter || isMark else { return false }
        }
        return true
    }

    private func isKnown(_ bundleID: Span<UInt8>) -> Bool {
        if topics.isEmpty { return true }
        for topic in topics where Bytes.areEqual(topic.span, bundleID) { return true }
        return false
    }

    private func headerRefusal(_ request: borrowing RequestIntake) -> Refusal? {
        let present = request.present
        if present.contains(.pushType), request.pushType == nil { return .invalidPushType }
        if present.contains(.priority), request.priority == nil { return .badPriority }
        if isBackground(request), request.priority ?? 10 == 10 { return .badPriority }
        if present.contains(.expiration), !request.isExpirationValid { return .badExpirationDate }
        if request.collapseIDBytes > APNSLimits.collapseIDBytesMax { return .badCollapseID }
        if present.contains(.apnsID), request.apnsID.isEmpty { return .badMessageID }
        return request.hasDuplicate ? .duplicateHeaders : nil
    }

    private func payloadRefusal(_ request: borrowing RequestIntake) -> Refusal? {
        guard request.bodyBytes > 0 else { return .payloadEmpty }
        let pushType = PushTypeRule.all[request.pushType ?? 0]
        guard request.bodyBytes <= pushType.payloadBytesMax else { return .payloadTooLarge }
        let shape = PayloadShape(of: request.body.span)
        guard shape.isDictionary else { return .payloadEmpty }
        switch request.pushType {
        case PushTypeRule.alertIndex where !shape.isNoticeable: return .invalidPushType
        case PushTypeRule.backgroundIndex where shape.isNoticeable || !shape.isContentAvailable:
            return .invalidPushType
        default: return nil
        }
    }

    private func isBackground(_ request: borrowing RequestIntake) -> Bool {
        request.pushType == PushTypeRule.backgroundIndex
    }
}
