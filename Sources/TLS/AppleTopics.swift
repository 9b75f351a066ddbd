/// The list of topics in Apple's push certificates.
///
/// The extension's value in DER, as Apple's certificates have it:
///
/// ```
/// SEQUENCE {
///   UTF8String "com.example.shop"        SEQUENCE { UTF8String "app" }
///   UTF8String "com.example.shop.voip"   SEQUENCE { UTF8String "voip" }
/// }
/// ```
/// The texts of the outer sequence are the topics; what stands in the inner ones is passed over.
///
/// *Source:* Apple, "Establishing a certificate-based connection to APNs", names the extension.
enum AppleTopics {
    static let objectIdentifier = "1.2.840.113635.100.6.3.6"

    private static let sequenceTag: UInt8 = 0x30
    private static let textTag: UInt8 = 0x0C

    /// The topics in the extension's value; none if it has another form.
    static func topics(der: [UInt8]) -> [String] {
        var outside = der[...]
        guard let list = element(&outside), list.tag == sequenceTag, outside.isEmpty else {
            return []
        }
        var rest = list.content
        var topics: [String] = []
        while !rest.isEmpty {
            guard let next = element(&rest) else { return [] }
            if next.tag == textTag { topics.append(SafeName.text(next.content)) }
        }
        return topics
    }

    /// The extension's value for topics; the last part of a topic names its kind where it is one.
    static func der(_ topics: [String]) -> [UInt8] {
        let entries = topics.flatMap { topic in
            let last = topic.split(separator: ".").last.map(String.init) ?? ""
            let kind = ["voip", "complication"].contains(last) ? last : "app"
            return encoded(textTag, Array(topic.utf8))
                + encoded(sequenceTag, encoded(textTag, Array(kind.utf8)))
        }
        return encoded(sequenceTag, entries)
    }

    /// Takes one element with a definite length off the front; nil if there is no whole one.
    private static func element(
        _ bytes: inout ArraySlice<UInt8>
    ) -> (tag: UInt8, content: ArraySlice<UInt8>)? {
        guard let tag = bytes.popFirst(), let first = bytes.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            // The low bits count the bytes of the length; three are 16 MB and more than enough.
            let count = Int(first & 0x7F)
            guard (1...3).contains(count), bytes.count >= count else { return nil }
            length = bytes.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            bytes = bytes.dropFirst(count)
        }
        guard length <= bytes.count else { return nil }
        defer { bytes = bytes.dropFirst(length) }
        return (tag, bytes.prefix(length))
    }

    private static func encoded(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        precondition(count < 1 << 16, "too many topics for one certificate")
        let length: [UInt8] =
            switch count {
            case ..<0x80: [UInt8(count)]
            case ..<0x100: [0x81, UInt8(count)]
            default: [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
            }
        return [tag] + length + content
    }
}
