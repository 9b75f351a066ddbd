/// What of a recipient can stand in a text.
package enum TemplateField: Sendable, Hashable {
    /// The app's own id of the user.
    case userID
    /// The device's locale as the app reported it.
    case locale
    /// An attribute of the device, by its name.
    case attribute(String)

    /// The field that a name in a template means.
    ///
    /// - Parameter name: what stands between the braces.
    package init(name: String) {
        switch name {
        case "user_id": self = .userID
        case "locale": self = .locale
        default: self = .attribute(name)
        }
    }

    /// The name as written in a template.
    package var name: String {
        switch self {
        case .userID: "user_id"
        case .locale: "locale"
        case .attribute(let name): name
        }
    }
}

/// A text with places for what is known of the recipient: `Hello {{ first_name | there }}`.
///
/// Between `{{` and `}}` stand a name and, after `|`, the text for recipients without a value;
/// blanks around both do not count. `{{{{` stands for two braces. Everything else is the text.
package struct TextTemplate: Sendable, Hashable {
    /// A piece of a template.
    package enum Segment: Sendable, Hashable {
        /// A piece of the text.
        case literal(String)
        /// The value of a field, or what stands for it (nil: nothing does).
        case field(TemplateField, fallback: String?)
    }

    /// The longest name of a field in bytes; PostgreSQL's own names are no longer.
    package static let nameBytesMax = 63

    /// The text as written.
    package let source: String
    /// The pieces in order; no two literals beside each other, none of them empty.
    package let segments: [Segment]

    /// A template from a text as written.
    ///
    /// - Parameter source: the text.
    /// - Throws: the first fault of the text.
    package init(parsing source: String) throws(TemplateFault) {
        var parser = TemplateParser(source)
        self.segments = try parser.parse()
        self.source = source
    }

    /// Whether the text is the same for every recipient.
    package var isConstant: Bool {
        segments.allSatisfy { segment in
            if case .literal = segment { true } else { false }
        }
    }
}

/// What is wrong with a template, and where in the text.
package struct TemplateFault: Error, Sendable, Hashable {
    /// The line of the text, counted from 1 (not of the file).
    package let line: Int
    /// The character in that line, counted from 1.
    package let column: Int
    /// What was found and what to write instead.
    package let message: String

    /// `… (character 7 of the text)`, with the line where the text has several.
    package var description: String {
        let place = line == 1 ? "character \(column)" : "line \(line), character \(column)"
        return "\(message) (\(place) of the text)"
    }
}
