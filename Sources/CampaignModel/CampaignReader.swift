internal import APNSProtocol
package import DocumentTree

/// Turns the tree of a campaign file into a ``Campaign``, or into everything that is wrong with it.
package enum CampaignReader {
    /// Reads a campaign.
    ///
    /// - Parameters:
    ///   - root: the document's root.
    ///   - file: the file as the user named it, for the messages.
    /// - Returns: the campaign with warnings; or all errors and warnings in the order of the file.
    package static func read(
        _ root: DocumentNode, file: String
    ) -> Result<Checked<Campaign>, Diagnostics> {
        let collector = DiagnosticCollector(file: file)
        let section = FieldSection(root: root, catalog: .campaign, collector: collector)
        return collector.result(campaign(section))
    }

    private static func campaign(_ section: FieldSection) -> Campaign? {
        section.checkNames()
        let name = section.required("campaign", example: "weekend-sale").flatMap(name)
        let app = section.required("app", example: "com.example.shop").flatMap(bundleID)
        let environment = section.required("environment", example: "production")?
            .choice(APNSEnvironment.self)
        let audience = audience(section.section("audience"))
        let message = section.required("message", example: "{ title: Hello }")?
            .section(named: "message").flatMap(MessageReader.message)
        let preflight = PaceReader.preflight(section.section("preflight"))
        let send = PaceReader.send(section.section("send"), of: message)
        let schedule = ScheduleReader.schedule(section.section("schedule"))
        guard let name, let app, let environment, let message else { return nil }
        return Campaign(
            name: name, app: app, environment: environment, audience: audience, message: message,
            preflight: preflight, send: send, schedule: schedule)
    }

    private static func name(_ value: FieldValue) -> String? {
        guard let name = value.text() else { return nil }
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isPlain, name.utf8.count <= Campaign.nameBytesMax else {
            value.failKind(
                "a name of at most \(Campaign.nameBytesMax) letters (a-z), digits, -, _ and ., "
                    + "such as weekend-sale")
            return nil
        }
        return name
    }

    /// The bundle id of an app.
    ///
    /// - Parameter value: the field that holds it.
    /// - Returns: nil when it has another form, which is noted.
    static func bundleID(_ value: FieldValue) -> String? {
        guard let app = value.text() else { return nil }
        if let fault = TopicCheck.fault(in: app) {
            value.fail("\(value.shown) \(fault)")
            return nil
        }
        return app
    }

    private static func audience(_ section: FieldSection?) -> Audience {
        guard let section else { return Audience() }
        section.checkNames()
        let seconds = section["registered_within"]?
            .duration(in: CampaignLimits.registeredWithin, unit: CampaignLimits.second)
        return Audience(
            locales: section["locales"].map(locales) ?? [],
            registeredWithinSeconds: seconds.map { $0 / CampaignLimits.second },
            whereSQL: section["where"].flatMap(condition))
    }

    private static func locales(_ value: FieldValue) -> [String] {
        let items = value.items()
        if items.isEmpty {
            value.fail("the list is empty; write a locale such as en, or remove the field")
        }
        return items.compactMap { item in
            item.text().flatMap { text in locale(text, of: item) }
        }
    }

    /// A locale in normal form.
    ///
    /// - Parameters:
    ///   - text: as written.
    ///   - value: where an error is noted.
    /// - Returns: nil when it is no language tag.
    static func locale(_ text: String, of value: FieldValue) -> String? {
        let locale = LocaleTag.normalised(text)
        guard LocaleTag.isWellFormed(locale) else {
            value.fail(
                "\(ShownText.quoted(text)) is no locale; write one such as hu, en-GB or zh-Hant")
            return nil
        }
        return locale
    }

    private static func condition(_ value: FieldValue) -> String? {
        guard let condition = value.text() else { return nil }
        guard condition.utf8.count <= CampaignLimits.whereBytesMax else {
            value.fail(
                "the condition has \(condition.utf8.count) bytes, at most "
                    + "\(CampaignLimits.whereBytesMax) are read; make a view in the database")
            return nil
        }
        return condition
    }
}
