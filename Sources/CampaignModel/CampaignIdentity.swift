internal import APNSProtocol

// What a campaign means to its recipients, without how it is sent.
//
// A run that was stopped goes on with a file of the same identity only: who has got the message and
// who has not would be a riddle otherwise. An operator must be able to slow a run down, or to put a
// threshold right, and go on. So the identity holds who gets what: name, app, environment,
// audience, message, who is probed, who goes first, and what becomes of the unanswered. It leaves
// out rates, connections, timeouts, retries, thresholds and the schedule.
//
// It is made from what the file means, not from its text: notes, blanks, the order of fields and
// defaults that are written out change nothing.
//
// A field that is added later is written only where it differs from its default, so that a run that
// was begun by an older version can be gone on with.

extension Campaign {
    /// What the campaign means to its recipients, in a form that is equal for equal meanings and
    /// different for different ones; to be digested and compared, not read.
    package var identityBytes: [UInt8] {
        var text = IdentityText()
        text.add("campaign", name)
        text.add("app", app)
        text.add("environment", environment.rawValue)
        text.add(audience)
        text.add(message)
        text.add("preflight.probe", preflight.probe.rawValue)
        text.add("preflight.stale_after", preflight.staleAfterSeconds)
        text.add("send.unconfirmed", send.unconfirmed.rawValue)
        text.add("send.canary.recipients", send.canary.recipients.map(Int64.init))
        return text.bytes
    }
}

/// Names with values, one after the other; a value's length stands before it, so that no text can
/// pass for something else.
private struct IdentityText {
    private(set) var bytes: [UInt8] = Array("sortie campaign 1\n".utf8)

    mutating func add(_ name: String, _ value: String?) {
        let text = value.map { "\($0.utf8.count):\($0)" } ?? "-"
        bytes.append(contentsOf: "\(name)=\(text)\n".utf8)
    }

    mutating func add(_ name: String, _ value: Int64?) {
        add(name, value.map(String.init))
    }

    mutating func add(_ name: String, _ value: Bool) {
        add(name, value ? "true" : "false")
    }

    mutating func add(_ audience: Audience) {
        add("audience.locales", Int64(audience.locales.count))
        for locale in audience.locales { add("locale", locale) }
        add("audience.registered_within", audience.registeredWithinSeconds)
        add("audience.where", audience.whereSQL)
    }

    mutating func add(_ message: Message) {
        add("message.push_type", message.pushType.rawValue)
        add("message.priority", Int64(message.priority.rawValue))
        add("message.expires_after", message.expiresAfterSeconds)
        switch message.collapse {
        case .none: add("message.collapse", String?.none)
        case .campaign: add("message.collapse.campaign", true)
        case .text(let text): add("message.collapse", text)
        }
        add("message.sound", message.sound)
        add("message.badge", message.badge.map(Int64.init))
        add("message.thread_id", message.threadID)
        add("message.category", message.category)
        add("message.content_available", message.contentAvailable)
        add("message.mutable_content", message.mutableContent)
        add(message.content)
        add("message.translations", Int64(message.translations.count))
        for translation in message.translations {
            add("translation", translation.locale)
            add(translation.content)
        }
    }

    private mutating func add(_ content: MessageContent) {
        add("title", content.title)
        add("subtitle", content.subtitle)
        add("body", content.body)
        add("data", .object(content.data))
    }

    private mutating func add(_ name: String, _ template: TextTemplate?) {
        guard let template else { return add(name, String?.none) }
        add(name, Int64(template.segments.count))
        for segment in template.segments {
            switch segment {
            case .literal(let text): add("literal", text)
            case .field(let field, let fallback):
                add("field", field.name)
                add("fallback", fallback)
            }
        }
    }

    private mutating func add(_ name: String, _ value: JSONValue) {
        switch value {
        case .text(let template): add("\(name).text", template)
        case .number(let digits): add("\(name).number", digits)
        case .truth(let truth): add("\(name).truth", truth)
        case .null: add("\(name).null", String?.none)
        case .list(let items):
            add("\(name).list", Int64(items.count))
            for item in items { add("item", item) }
        case .object(let members):
            add("\(name).object", Int64(members.count))
            for member in members {
                add("key", member.key)
                add("value", member.value)
            }
        }
    }
}
