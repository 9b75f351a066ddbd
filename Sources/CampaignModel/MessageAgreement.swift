internal import APNSProtocol
internal import DocumentTree

/// The rules between the fields of a message: Apple delays, drops or refuses a push whose type,
/// priority and payload do not agree.
///
/// Source: Apple, "Sending notification requests to APNs" (`apns-push-type`, `apns-priority`) and
/// "Pushing background updates to your App".
enum MessageAgreement {
    /// The fields that let the user notice a push.
    static let showingFields = ["title", "subtitle", "body", "sound", "badge"]

    /// Notes where the fields do not agree.
    ///
    /// - Parameters:
    ///   - message: what was read.
    ///   - section: the mapping it was read from.
    static func check(_ message: Message, _ section: FieldSection) {
        switch message.pushType {
        case .background: checkBackground(message, section)
        case .alert: checkAlert(message, section)
        }
        checkSize(message, section)
    }

    private static func checkBackground(_ message: Message, _ section: FieldSection) {
        for name in showingFields + ["mutable_content"] {
            section[name]?.fail(
                "a background push shows nothing; remove the field, or write push_type: alert")
        }
        if section["content_available"] != nil, !message.contentAvailable {
            section["content_available"]?.fail(
                "a background push exists to wake the app; remove the field")
        }
        if message.priority != .powerAware {
            section["priority"]?.fail(
                "Apple takes background pushes with priority 5 only; write 5, or remove the field")
        }
        checkBackgroundTranslations(section)
    }

    private static func checkBackgroundTranslations(_ section: FieldSection) {
        guard let translations = section["translations"] else { return }
        guard case .mapping(let locales) = translations.node.content else { return }
        let group = FieldSection(locales, of: translations)
        for locale in locales {
            guard case .mapping(let entries) = locale.value.content else { continue }
            let translation = FieldSection(entries, of: group.value(of: locale))
            for name in showingFields {
                translation[name]?.fail("a background push shows nothing; remove the field")
            }
        }
    }

    private static func checkAlert(_ message: Message, _ section: FieldSection) {
        if !showingFields.contains(where: { section[$0] != nil }) {
            section.collector.error(
                section.place, section.path,
                "an alert needs a title or a body (or a sound or a badge); "
                    + "for a silent push write push_type: background")
        }
        if message.mutableContent, !message.content.hasText {
            section["mutable_content"]?.fail(
                "the app's extension can change only a push with a title or a body; "
                    + "write one, or remove the field")
        }
    }

    /// Notes every translation whose payload is too long before any value is put in.
    private static func checkSize(_ message: Message, _ section: FieldSection) {
        let plan = PayloadPlan(message)
        if plan.fields.count > CampaignLimits.templateFieldsMax {
            section.collector.error(
                section.place, section.path,
                "the texts use \(plan.fields.count) different fields of the recipient; "
                    + "at most \(CampaignLimits.templateFieldsMax) are read")
        }
        for (index, locale) in plan.translations.enumerated() {
            let bytes = plan.bytesMin(translation: index)
            guard bytes > APNSLimits.payloadBytesMax else { continue }
            let whose = locale.map { "with the translation \"\($0)\"" } ?? "without translation"
            section.collector.error(
                section.place, section.path,
                "the payload \(whose) has \(bytes) bytes; Apple takes at most "
                    + "\(APNSLimits.payloadBytesMax), so shorten the texts or the data")
        }
    }
}
