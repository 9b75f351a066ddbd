internal import APNSProtocol

/// A place in a payload where a value goes.
struct PayloadStep: Sendable {
    /// Where in the JSON the value goes; its substitute stands there.
    let position: Int
    /// Index into the plan's fields.
    let field: Int
    /// The bytes of the substitute, escaped.
    let fallbackLength: Int
    /// Whether the substitute counts; without one, a missing value skips the recipient.
    let hasFallback: Bool
}

/// Where one translation's payload stands in the plan.
struct PayloadExtent: Sendable {
    /// Its bytes in the plan's JSON.
    let json: Range<Int>
    /// Its places for values among the plan's steps.
    let steps: Range<Int>
}

/// Writes messages as JSON and numbers the fields of their texts.
struct PayloadCompiler {
    /// The distinct fields in the order in which they were first met.
    private(set) var fields: [TemplateField] = []
    /// The JSON of all translations so far, every substitute in its place.
    private(set) var json: [UInt8] = []
    /// The places for values in the order of the JSON.
    private(set) var steps: [PayloadStep] = []

    /// Compiles one translation of a message.
    ///
    /// Source: Apple, "Generating a remote notification", for the keys of `aps`.
    ///
    /// - Parameters:
    ///   - message: what is the same in every language.
    ///   - content: the texts and data.
    /// - Returns: where the payload stands.
    mutating func compile(_ message: Message, _ content: MessageContent) -> PayloadExtent {
        let (jsonStart, stepsStart) = (json.count, steps.count)
        raw("{\"aps\":{")
        var isFirst = true
        alert(content, &isFirst)
        if let badge = message.badge {
            key("badge", &isFirst)
            JSONText.appendNumber(Int64(badge), to: &json)
        }
        constant("sound", message.sound, &isFirst)
        constant("thread-id", message.threadID, &isFirst)
        constant("category", message.category, &isFirst)
        if message.contentAvailable || message.pushType == .background {
            flag("content-available", &isFirst)
        }
        if message.mutableContent { flag("mutable-content", &isFirst) }
        raw("}")
        isFirst = false
        members(content.data, &isFirst)
        raw("}")
        return PayloadExtent(json: jsonStart..<json.count, steps: stepsStart..<steps.count)
    }

    private mutating func alert(_ content: MessageContent, _ isFirst: inout Bool) {
        guard content.hasText else { return }
        key("alert", &isFirst)
        raw("{")
        var isFirstText = true
        let texts = [
            ("title", content.title), ("subtitle", content.subtitle), ("body", content.body),
        ]
        for case (let name, let text?) in texts {
            key(name, &isFirstText)
            template(text)
        }
        raw("}")
    }

    private mutating func members(_ members: [JSONMember], _ isFirst: inout Bool) {
        for member in members {
            key(member.key, &isFirst)
            value(member.value)
        }
    }

    private mutating func value(_ value: JSONValue) {
        var isFirst = true
        switch value {
        case .text(let text): template(text)
        case .number(let digits): raw(digits)
        case .truth(let truth): raw(truth ? "true" : "false")
        case .null: raw("null")
        case .list(let items):
            raw("[")
            for item in items {
                separate(&isFirst)
                self.value(item)
            }
            raw("]")
        case .object(let members):
            raw("{")
            self.members(members, &isFirst)
            raw("}")
        }
    }

    private mutating func template(_ text: TextTemplate) {
        raw("\"")
        for segment in text.segments {
            switch segment {
            case .literal(let literal): escaped(literal)
            case .field(let field, let fallback):
                let position = json.count
                escaped(fallback ?? "")
                steps.append(
                    PayloadStep(
                        position: position, field: index(of: field),
                        fallbackLength: json.count - position,
                        hasFallback: fallback != nil))
            }
        }
        raw("\"")
    }

    private mutating func index(of field: TemplateField) -> Int {
        if let known = fields.firstIndex(of: field) { return known }
        fields.append(field)
        return fields.count - 1
    }

    private mutating func constant(_ name: String, _ text: String?, _ isFirst: inout Bool) {
        guard let text else { return }
        key(name, &isFirst)
        JSONText.appendString(text, to: &json)
    }

    private mutating func flag(_ name: String, _ isFirst: inout Bool) {
        key(name, &isFirst)
        raw("1")
    }

    private mutating func key(_ name: String, _ isFirst: inout Bool) {
        separate(&isFirst)
        JSONText.appendString(name, to: &json)
        raw(":")
    }

    private mutating func separate(_ isFirst: inout Bool) {
        if !isFirst { raw(",") }
        isFirst = false
    }

    private mutating func escaped(_ text: String) {
        JSONText.appendEscaped(text.utf8.span, to: &json)
    }

    private mutating func raw(_ text: String) {
        json.append(contentsOf: text.utf8)
    }
}
