/// One value of `apns-push-type` and what belongs to it.
///
/// Source: Apple, "Sending notification requests to APNs", table of push types.
struct PushTypeRule: Sendable {
    /// The header's value.
    let name: StaticString
    /// What the topic has after the bundle id.
    let topicSuffix: StaticString
    /// Largest payload in bytes.
    let payloadBytesMax: Int

    /// The position of `alert` in `all`.
    static let alertIndex = 0
    /// The position of `background` in `all`.
    static let backgroundIndex = 1

    /// Every push type, the most frequent first.
    static let all = [
        PushTypeRule("alert"),
        PushTypeRule("background"),
        PushTypeRule("liveactivity", topicSuffix: ".push-type.liveactivity"),
        PushTypeRule("voip", topicSuffix: ".voip", payloadBytesMax: 5120),
        PushTypeRule("location", topicSuffix: ".location-query"),
        PushTypeRule("complication", topicSuffix: ".complication"),
        PushTypeRule("fileprovider", topicSuffix: ".pushkit.fileprovider"),
        PushTypeRule("mdm"),
        PushTypeRule("pushtotalk", topicSuffix: ".voip-ptt"),
        PushTypeRule("widgets", topicSuffix: ".push-type.widgets"),
        PushTypeRule("controls", topicSuffix: ".push-type.controls"),
    ]

    private init(
        _ name: StaticString, topicSuffix: StaticString = "", payloadBytesMax: Int = 4096
    ) {
        self.name = name
        self.topicSuffix = topicSuffix
        self.payloadBytesMax = payloadBytesMax
    }

    /// The position in `all` of a header's value; nil for a value that is none.
    static func index(of value: Span<UInt8>) -> Int? {
        for index in all.indices where Bytes.areEqual(value, all[index].name) { return index }
        return nil
    }
}
