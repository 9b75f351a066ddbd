internal import DocumentTree

/// Reads `data`: the app's own keys, which go out as strict JSON beside `aps`.
enum DataReader {
    /// The members of a message's data.
    ///
    /// - Parameter value: the field.
    /// - Returns: those that are usable.
    static func members(_ value: FieldValue) -> [JSONMember] {
        guard case .mapping(let entries) = value.node.content else {
            value.failKind("the app's own keys in braces, as in { url: \"https://example.com\" }")
            return []
        }
        let section = FieldSection(entries, of: value)
        return entries.compactMap { entry in
            let member = section.value(of: entry)
            check(entry, member)
            return json(member).map { JSONMember(key: entry.key, value: $0) }
        }
    }

    /// Notes keys that Apple reads only inside `aps`.
    private static func check(_ entry: DocumentEntry, _ member: FieldValue) {
        if entry.key == "aps" {
            member.collector.error(
                entry.keyPlace, member.path,
                "aps is Apple's own key and is built from the fields of \"message\"; write "
                    + "title, body, sound and so on there")
            return
        }
        let folded = FieldCatalog.folded(entry.key)
        guard let field = appleFields.first(where: { FieldCatalog.folded($0) == folded }) else {
            return
        }
        member.collector.warning(
            entry.keyPlace, member.path,
            "this goes to the app as data of its own; if Apple is to read it, write "
                + "\"\(field)\" in \"message\"")
    }

    /// The fields of a message that people put beside `aps` by mistake.
    private static let appleFields = [
        "alert", "badge", "sound", "thread_id", "content_available", "mutable_content", "priority",
        "push_type", "expiration",
    ]

    private static func json(_ value: FieldValue) -> JSONValue? {
        switch value.node.content {
        case .sequence: return .list(value.items().compactMap(json))
        case .mapping(let entries):
            let section = FieldSection(entries, of: value)
            return .object(
                entries.compactMap { entry in
                    json(section.value(of: entry)).map { JSONMember(key: entry.key, value: $0) }
                })
        case .scalar(let scalar):
            if scalar.style == .plain { return plain(scalar.text, value) }
            return value.template(scalar.text).map(JSONValue.text)
        }
    }

    /// A bare word or number: `true`, `false`, `null` and numbers are JSON's, all else is text.
    private static func plain(_ text: String, _ value: FieldValue) -> JSONValue? {
        switch text {
        case "true": return .truth(true)
        case "false": return .truth(false)
        case "null": return .null
        default: break
        }
        switch JSONNumber.reading(of: text) {
        case .number(let digits): return .number(digits)
        case .notFinite:
            value.fail("found \(value.shown), which JSON does not have; write a number or a text")
            return nil
        case .tooLong:
            value.fail("found \(value.shown); a hexadecimal number has at most 16 digits")
            return nil
        case .text: return value.template(text).map(JSONValue.text)
        }
    }
}
