internal import APNSProtocol

/// Names of files in a configuration.
enum FileName {
    /// Reads a name; what is in the file does not belong here.
    static func read(_ value: FieldValue) -> String? {
        guard let name = value.text() else { return nil }
        guard !name.contains("-----BEGIN"), !name.contains("\n") else {
            value.fail("write the name of the file, not what is in it")
            return nil
        }
        return name
    }

    /// The key's id in the name that Apple gives to a key, `AuthKey_ABC123DEFG.p8`; nil for any
    /// other name. What browsers add to a second download, as in `AuthKey_ABC123DEFG (1).p8`, is no
    /// obstacle.
    static func keyID(in path: String) -> String? {
        let name = path.split(separator: "/").last ?? ""
        let prefix = "AuthKey_"
        guard name.hasPrefix(prefix), name.hasSuffix(".p8") else { return nil }
        let rest = name.dropFirst(prefix.count)
        let id = String(rest.prefix(APNSLimits.keyIDLength))
        let next = rest.dropFirst(APNSLimits.keyIDLength).utf8.first
        guard isKeyID(id), let next, next == UInt8(ascii: ".") || next == UInt8(ascii: " ") else {
            return nil
        }
        return id
    }

    /// Whether a text has the form of a key's or team's id.
    static func isKeyID(_ text: String) -> Bool {
        text.utf8.count == APNSLimits.keyIDLength
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            }
    }
}
