/// What matters of a payload when it is judged.
struct PayloadShape: Sendable, Equatable {
    /// The body is a JSON object with at least one member.
    var isDictionary = false
    /// `aps` has an alert, a badge or a sound: something the user notices.
    var isNoticeable = false
    /// `aps` has `content-available` with the value 1.
    var isContentAvailable = false

    /// Reads the shape of a body in one pass, without allocating.
    ///
    /// - Parameter body: The whole body of a request.
    init(of body: Span<UInt8>) {
        var walk = JSONWalk(visitor: PayloadVisitor())
        guard walk.walk(body), walk.visitor.members > 0 else { return }
        isDictionary = true
        isNoticeable = walk.visitor.isNoticeable
        isContentAvailable = walk.visitor.isContentAvailable
    }
}

private struct PayloadVisitor: JSONVisitor {
    var members = 0
    var isNoticeable = false
    var isContentAvailable = false

    mutating func member(name: Range<Int>, value: Range<Int>, of text: Span<UInt8>) {
        members += 1
    }

    mutating func innerMember(
        name: Range<Int>, value: Range<Int>, outerName: Range<Int>, of text: Span<UInt8>
    ) {
        guard Bytes.areEqual(text.extracting(outerName), "aps") else { return }
        let key = text.extracting(name)
        switch name.count {
        case 5:
            if Bytes.areEqual(key, "alert") || Bytes.areEqual(key, "badge")
                || Bytes.areEqual(key, "sound")
            {
                isNoticeable = true
            }
        case 17:
            if Bytes.areEqual(key, "content-available") {
                isContentAvailable = Bytes.areEqual(text.extracting(value), "1")
            }
        default: break
        }
    }
}
