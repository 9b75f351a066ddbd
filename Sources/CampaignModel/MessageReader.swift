internal import APNSProtocol
internal import DocumentTree

/// Reads `message`: first each field by itself, then whether they agree with each other.
enum MessageReader {
    /// The message.
    ///
    /// - Parameter section: the mapping.
    /// - Returns: nil when a field is not usable, which is noted.
    static func message(_ section: FieldSection) -> Message? {
        section.checkNames()
        let content = content(section)
        let type = pushType(section, content)
        let message = Message(
            pushType: type, priority: priority(section["priority"]),
            expiresAfterSeconds: section["expires_after"]?
                .duration(in: CampaignLimits.expiresAfter, unit: CampaignLimits.second)
                .map { $0 / CampaignLimits.second },
            collapse: section["collapse"].flatMap(collapse) ?? .none, content: content,
            sound: section["sound"]?.fixedText(),
            badge: section.count("badge", CampaignLimits.badge),
            threadID: section["thread_id"]?.fixedText(),
            category: section["category"]?.fixedText(),
            contentAvailable: section["content_available"]?.truth() ?? false,
            mutableContent: section["mutable_content"]?.truth() ?? false,
            translations: TranslationReader.translations(section))
        MessageAgreement.check(message, section)
        return message
    }

    /// The texts and data of a message or of a translation.
    ///
    /// - Parameter section: the mapping that holds them.
    /// - Returns: what is given and usable.
    static func content(_ section: FieldSection) -> MessageContent {
        MessageContent(
            title: section["title"]?.template(), subtitle: section["subtitle"]?.template(),
            body: section["body"]?.template(),
            data: section["data"].map(DataReader.members) ?? [])
    }

    /// The type as written, else what the fields say.
    private static func pushType(_ section: FieldSection, _ content: MessageContent) -> PushType {
        if let value = section["push_type"] { return value.choice(PushType.self) ?? .alert }
        let shows = MessageAgreement.showingFields.contains { section[$0] != nil }
        return section["content_available"] != nil && !shows ? .background : .alert
    }

    private static func priority(_ value: FieldValue?) -> PushPriority? {
        let wanted = "10 (at once), 5 (when the device's power allows) or 1 (never wakes it)"
        guard let value, let text = value.scalarText(wanted) else { return nil }
        guard let number = Int(text), let priority = PushPriority(rawValue: number) else {
            value.failKind(wanted)
            return nil
        }
        return priority
    }

    private static func collapse(_ value: FieldValue) -> Message.Collapse? {
        guard let text = value.fixedText() else { return nil }
        if text == "campaign" { return .campaign }
        if let fault = CollapseIDCheck.fault(in: text) {
            value.fail("the collapse id \(value.shown) \(fault)")
            return nil
        }
        return .text(text)
    }
}

extension FieldValue {
    /// The value as a text that is the same for everybody.
    ///
    /// - Returns: nil when it is no text, or when it looks like a template, which is noted: the
    ///   braces would be sent as they are.
    func fixedText() -> String? {
        guard let text = text() else { return nil }
        guard !text.contains("{{") else {
            fail("{{ … }} works in title, subtitle, body and data only; write a fixed text here")
            return nil
        }
        return text
    }

    /// The value as a text with places for the recipient's values.
    ///
    /// - Returns: nil when it is no text or the places are not well written, which is noted.
    func template() -> TextTemplate? {
        text().flatMap(template)
    }

    /// A text of this value with places for the recipient's values.
    ///
    /// - Parameter text: the text.
    /// - Returns: nil when the places are not well written, which is noted.
    func template(_ text: String) -> TextTemplate? {
        do {
            return try TextTemplate(parsing: text)
        } catch {
            fail(error.description)
            return nil
        }
    }
}
