/// The header fields that the judge knows, as bits of a set.
struct HeaderSet: OptionSet, Sendable {
    let rawValue: UInt16

    static let method = HeaderSet(rawValue: 1 << 0)
    static let path = HeaderSet(rawValue: 1 << 1)
    static let authorization = HeaderSet(rawValue: 1 << 2)
    static let topic = HeaderSet(rawValue: 1 << 3)
    static let pushType = HeaderSet(rawValue: 1 << 4)
    static let priority = HeaderSet(rawValue: 1 << 5)
    static let expiration = HeaderSet(rawValue: 1 << 6)
    static let collapseID = HeaderSet(rawValue: 1 << 7)
    static let apnsID = HeaderSet(rawValue: 1 << 8)

    /// The field of a name; nil for names that no rule is about.
    static func named(_ name: Span<UInt8>) -> HeaderSet? {
        switch name.count {
        case 5: Bytes.areEqual(name, ":path") ? .path : nil
        case 7: seven(name)
        case 10: Bytes.areEqual(name, "apns-topic") ? .topic : nil
        case 13: thirteen(name)
        case 14: Bytes.areEqual(name, "apns-push-type") ? .pushType : nil
        case 15: Bytes.areEqual(name, "apns-expiration") ? .expiration : nil
        case 16: Bytes.areEqual(name, "apns-collapse-id") ? .collapseID : nil
        default: nil
        }
    }

    private static func seven(_ name: Span<UInt8>) -> HeaderSet? {
        if Bytes.areEqual(name, ":method") { return .method }
        return Bytes.areEqual(name, "apns-id") ? .apnsID : nil
    }

    private static func thirteen(_ name: Span<UInt8>) -> HeaderSet? {
        if Bytes.areEqual(name, "authorization") { return .authorization }
        return Bytes.areEqual(name, "apns-priority") ? .priority : nil
    }
}

/// What a path names.
enum PathForm: Sendable {
    /// Something else than `/3/device/`.
    case other
    /// `/3/device/` and nothing after it.
    case noToken
    /// `/3/device/` and something that should be a device token.
    case token
}

/// One request as its parts arrive: the facts that the judge asks for, not the texts.
///
/// Used again for request after request, so that its buffers are allocated once. Owned by one
/// stream slot of a connection, on the connection's thread.
struct RequestIntake: ~Copyable {
    /// A body is kept up to the longest payload of any push type and one byte, which tells that it
    /// was longer.
    static let bodyBytesKept = 5121

    private(set) var present: HeaderSet = []
    /// Some known field came twice; the first value counts.
    private(set) var hasDuplicate = false
    private(set) var isPost = false
    private(set) var pathForm = PathForm.other
    /// The digits after `/3/device/`.
    private(set) var token: [UInt8] = []
    private(set) var topic: [UInt8] = []
    /// The position in `PushTypeRule.all`; nil if absent or none of Apple's.
    private(set) var pushType: Int?
    /// 10, 5 or 1; nil if absent or another.
    private(set) var priority: Int?
    private(set) var isExpirationValid = false
    private(set) var collapseIDBytes = 0
    /// The request's own `apns-id` as it came; empty if absent or no UUID.
    private(set) var apnsID: [UInt8] = []
    /// Sum of the lengths of all names and values, uncompressed.
    private(set) var headerBytes = 0
    private(set) var body: [UInt8] = []
    private(set) var bodyBytes = 0

    /// Forgets the last request and keeps the buffers.
    mutating func reset() {
        present = []
        hasDuplicate = false
        isPost = false
        pathForm = .other
        token.removeAll(keepingCapacity: true)
        topic.removeAll(keepingCapacity: true)
        pushType = nil
        priority = nil
        isExpirationValid = false
        collapseIDBytes = 0
        apnsID.removeAll(keepingCapacity: true)
        headerBytes = 0
        body.removeAll(keepingCapacity: true)
        bodyBytes = 0
    }

    /// Takes one header field.
    ///
    /// - Parameters:
    ///   - name: Its name, lower case.
    ///   - value: Its value.
    /// - Returns: Which field it is, if a rule is about it and it came for the first time: the
    ///   caller looks at `authorization` itself.
    @discardableResult
    mutating func take(name: Span<UInt8>, value: Span<UInt8>) -> HeaderSet? {
        headerBytes &+= name.count &+ value.count
        guard let field = HeaderSet.named(name) else { return nil }
        if present.contains(field) {
            hasDuplicate = true
            return nil
        }
        present.insert(field)
        note(field, value)
        return field
    }

    /// Takes a piece of the body.
    ///
    /// - Parameter piece: The bytes of one DATA frame or a part of it.
    mutating func takeBody(_ piece: Span<UInt8>) {
        bodyBytes &+= piece.count
        let kept = min(piece.count, Self.bodyBytesKept - body.count)
        if kept > 0 { body.append(piece.extracting(first: kept)) }
    }

    private mutating func note(_ field: HeaderSet, _ value: Span<UInt8>) {
        switch field {
        case .path: notePath(value)
        case .method: isPost = Bytes.areEqual(value, "POST")
        case .topic: topic.append(value)
        case .pushType: pushType = PushTypeRule.index(of: value)
        case .priority: priority = Self.priority(value)
        case .expiration: isExpirationValid = Expiration.isValid(value)
        case .collapseID: collapseIDBytes = value.count
        case .apnsID: if UUIDText.isValid(value) { apnsID.append(value) }
        default: break
        }
    }

    private mutating func notePath(_ path: Span<UInt8>) {
        guard Bytes.begin(path, with: "/3/device/") else { return }
        let digits = path.extracting(droppingFirst: 10)
        pathForm = digits.isEmpty ? .noToken : .token
        token.append(digits)
    }

    private static func priority(_ value: Span<UInt8>) -> Int? {
        if Bytes.areEqual(value, "10") { return 10 }
        if Bytes.areEqual(value, "5") { return 5 }
        return Bytes.areEqual(value, "1") ? 1 : nil
    }
}

/// The form of `apns-expiration`: whole seconds since 1970.
enum Expiration {
    /// 9999-12-31T23:59:59Z in seconds since 1970. Apple names no limit; what lies beyond is a time
    /// in milliseconds by mistake, which a sender wants to hear of.
    static let secondsMax: Int64 = 253_402_300_799

    /// Whether a header's value is a time.
    static func isValid(_ value: Span<UInt8>) -> Bool {
        guard !value.isEmpty, value.count <= 18 else { return false }
        var seconds: Int64 = 0
        for index in value.indices {
            let digit = value[index] &- UInt8(ascii: "0")
            guard digit <= 9 else { return false }
            seconds = seconds * 10 + Int64(digit)
        }
        return seconds <= secondsMax
    }
}
