/// The headers that are the same for every request of a phase, and the path that is not.
///
/// Everything here is constant on a connection until the provider token is renewed, so every value
/// may be indexed. `content-length` is left out: HTTP/2 does not need it.
/// *Source:* Apple, "Sending notification requests to APNs", "Establishing a connection to Apple
/// Push Notification service (APNs)".
package struct RequestHead: Sendable, Equatable {
    /// The bundle id, sent as `apns-topic`.
    package var topic: String
    /// Sent as `apns-push-type`.
    package var pushType: PushType
    /// Sent as `apns-priority`.
    package var priority: PushPriority
    /// When APNs stops trying, in seconds since 1970 UTC. 0 means one attempt, nothing stored; nil
    /// leaves the header out, which means APNs' own policy (up to 30 days). The two differ.
    package var expirationSeconds: Int64?
    /// Sent as `apns-collapse-id`; nil leaves it out.
    package var collapseID: String?

    /// The head of a campaign's main send.
    ///
    /// - Parameters:
    ///   - topic: The app's bundle id, which has passed `TopicCheck`.
    ///   - pushType: The push type.
    ///   - priority: The priority.
    ///   - expirationSeconds: Seconds since 1970 UTC, 0 for one attempt, nil for no header.
    ///   - collapseID: The collapse id, which has passed `CollapseIDCheck`, or nil.
    package init(
        topic: String, pushType: PushType, priority: PushPriority,
        expirationSeconds: Int64? = nil, collapseID: String? = nil
    ) {
        self.topic = topic
        self.pushType = pushType
        self.priority = priority
        self.expirationSeconds = expirationSeconds
        self.collapseID = collapseID
    }

    /// The head of a probe: a background push that is tried once and never stored, so that it
    /// cannot take the one place APNs keeps for a real message.
    /// *Source:* Apple, "Pushing background updates to your App".
    ///
    /// - Parameter topic: The app's bundle id, which has passed `TopicCheck`.
    /// - Returns: The head.
    package static func probe(topic: String) -> RequestHead {
        RequestHead(
            topic: topic, pushType: .background, priority: .powerAware, expirationSeconds: 0)
    }

    /// The payload of every probe: it wakes the app and shows nothing.
    package static let probePayload = [UInt8](#"{"aps":{"content-available":1}}"#.utf8)

    /// The headers after the pseudo ones, in the order of sending.
    ///
    /// - Parameter token: The provider token, or nil where a client certificate speaks for us.
    /// - Returns: The headers.
    package func fields(token: ProviderToken?) -> [HeaderField] {
        var fields = [
            HeaderField(name: "apns-topic", value: [UInt8](topic.utf8)),
            HeaderField(name: "apns-push-type", value: [UInt8](pushType.rawValue.utf8)),
            HeaderField(name: "apns-priority", value: [UInt8](String(priority.rawValue).utf8)),
        ]
        if let expirationSeconds {
            let value = [UInt8](String(expirationSeconds).utf8)
            fields.append(HeaderField(name: "apns-expiration", value: value))
        }
        if let collapseID {
            fields.append(HeaderField(name: "apns-collapse-id", value: [UInt8](collapseID.utf8)))
        }
        if let token {
            fields.append(HeaderField(name: "authorization", value: token.headerValue))
        }
        return fields
    }

    /// What stands before the token in every path.
    package static let pathPrefix = [UInt8]("/3/device/".utf8)

    /// Appends the path of a request.
    ///
    /// - Parameters:
    ///   - token: The device token in its normal form.
    ///   - output: Where the path goes.
    @inlinable
    package static func appendPath(token: Span<UInt8>, to output: inout [UInt8]) {
        output.append(contentsOf: pathPrefix)
        JSONText.appendVerbatim(token, to: &output)
    }
}
