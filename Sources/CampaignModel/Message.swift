package import APNSProtocol

/// What the recipients of a campaign get.
package struct Message: Sendable, Equatable {
    /// Which notifications replace each other on a device (`apns-collapse-id`).
    package enum Collapse: Sendable, Equatable {
        /// No header: every push is a notification of its own.
        case none
        /// One id for the whole campaign, made from its name.
        case campaign
        /// An id as written in the file, at most 64 bytes.
        case text(String)
    }

    /// Whether the push shows something or only wakes the app.
    package let pushType: PushType
    /// How eagerly APNs delivers.
    package let priority: PushPriority
    /// How long APNs may store the push, in seconds from its sending; 0: one attempt, never
    /// stored; nil: the header is left out and APNs decides.
    package let expiresAfterSeconds: Int64?
    /// Which notifications replace each other on a device.
    package let collapse: Collapse
    /// The texts and data of everybody for whom there is no translation.
    package let content: MessageContent
    /// The sound's file name in the app, or `default`; nil: silent.
    package let sound: String?
    /// The number on the app's icon; 0 removes it, nil leaves it alone.
    package let badge: Int?
    /// The `thread-id` that groups notifications.
    package let threadID: String?
    /// The notification category that the app has registered.
    package let category: String?
    /// Whether the app is woken to fetch content.
    package let contentAvailable: Bool
    /// Whether the app's service extension may change the notification before it is shown.
    package let mutableContent: Bool
    /// Texts and data for locales, in the order of the file.
    package let translations: [Translation]

    /// A message; what is left out is absent from the payload.
    ///
    /// - Parameters:
    ///   - pushType: whether the push shows something.
    ///   - priority: how eagerly APNs delivers; nil: 10 for alerts, 5 for background pushes.
    ///   - expiresAfterSeconds: how long APNs may store the push; 0: not at all; nil: APNs decides.
    ///   - collapse: which notifications replace each other.
    ///   - content: texts and data without translation.
    ///   - sound: the sound's file name, or `default`.
    ///   - badge: the number on the icon, 0 or more.
    ///   - threadID: groups notifications.
    ///   - category: a category that the app has registered.
    ///   - contentAvailable: wakes the app.
    ///   - mutableContent: lets the service extension change the notification.
    ///   - translations: texts and data for locales.
    package init(
        pushType: PushType = .alert, priority: PushPriority? = nil,
        expiresAfterSeconds: Int64? = nil, collapse: Collapse = .none, content: MessageContent,
        sound: String? = nil, badge: Int? = nil, threadID: String? = nil, category: String? = nil,
        contentAvailable: Bool = false, mutableContent: Bool = false,
        translations: [Translation] = []
    ) {
        self.pushType = pushType
        self.priority = priority ?? (pushType == .background ? .powerAware : .immediate)
        self.expiresAfterSeconds = expiresAfterSeconds
        self.collapse = collapse
        self.content = content
        self.sound = sound
        self.badge = badge
        self.threadID = threadID
        self.category = category
        self.contentAvailable = contentAvailable
        self.mutableContent = mutableContent
        self.translations = translations
    }
}

/// The parts of a message that differ by language.
package struct MessageContent: Sendable, Equatable {
    /// The first line.
    package var title: TextTemplate?
    /// The line under the title.
    package var subtitle: TextTemplate?
    /// The text.
    package var body: TextTemplate?
    /// The app's own keys beside `aps`, in the order of the file.
    package var data: [JSONMember]

    /// The parts of a message that differ by language; in a translation, what is nil or empty is
    /// taken from the message.
    ///
    /// - Parameters:
    ///   - title: the first line.
    ///   - subtitle: the line under the title.
    ///   - body: the text.
    ///   - data: the app's own keys beside `aps`.
    package init(
        title: TextTemplate? = nil, subtitle: TextTemplate? = nil, body: TextTemplate? = nil,
        data: [JSONMember] = []
    ) {
        self.title = title
        self.subtitle = subtitle
        self.body = body
        self.data = data
    }

    /// Whether there is a text to show.
    package var hasText: Bool { title != nil || subtitle != nil || body != nil }

    /// This content where it says something, and another's everywhere else; data is joined key by
    /// key at its top level.
    ///
    /// - Parameter original: what a translation falls back to.
    /// - Returns: the content that a recipient gets.
    package func over(_ original: MessageContent) -> MessageContent {
        let kept = original.data.map { member in
            data.first { $0.key == member.key } ?? member
        }
        let added = data.filter { member in !original.data.contains { $0.key == member.key } }
        return MessageContent(
            title: title ?? original.title, subtitle: subtitle ?? original.subtitle,
            body: body ?? original.body, data: kept + added)
    }
}

/// What the devices of a locale get instead.
package struct Translation: Sendable, Equatable {
    /// The locale in normal form (``LocaleTag``).
    package let locale: String
    /// What differs from the message.
    package let content: MessageContent

    /// A translation.
    ///
    /// - Parameters:
    ///   - locale: a language tag; it is brought into normal form.
    ///   - content: what differs from the message.
    package init(locale: String, content: MessageContent) {
        self.locale = LocaleTag.normalised(locale)
        self.content = content
    }
}
