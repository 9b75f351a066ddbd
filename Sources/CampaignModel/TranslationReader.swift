internal import DocumentTree

/// Reads `message.translations`.
enum TranslationReader {
    /// The translations in the order of the file.
    ///
    /// - Parameter message: the mapping that may hold them.
    /// - Returns: those that are usable.
    static func translations(_ message: FieldSection) -> [Translation] {
        guard let section = message.section("translations") else { return [] }
        if section.entries.count > CampaignLimits.translationsMax {
            section.collector.error(
                section.place, section.path,
                "there are \(section.entries.count) translations; "
                    + "at most \(CampaignLimits.translationsMax) are read")
        }
        var seen: [String: SourcePlace] = [:]
        return section.entries.compactMap { entry in
            let value = section.value(of: entry)
            guard let locale = locale(entry, value) else { return nil }
            if let first = seen[locale] {
                section.collector.error(
                    entry.keyPlace, value.path,
                    "this locale is given twice, first at \(first); keep one")
                return nil
            }
            seen[locale] = entry.keyPlace
            return translation(locale, value)
        }
    }

    private static func locale(_ entry: DocumentEntry, _ value: FieldValue) -> String? {
        let key = FieldValue(
            node: DocumentNode(
                .scalar(DocumentScalar(entry.key, style: .plain)), at: entry.keyPlace),
            path: value.path, catalog: value.catalog, collector: value.collector)
        return CampaignReader.locale(entry.key, of: key)
    }

    private static func translation(_ locale: String, _ value: FieldValue) -> Translation? {
        guard let section = value.section(named: "message.translations.*") else { return nil }
        section.checkNames()
        if section.entries.isEmpty {
            value.fail("this translation says nothing; write its title or body, or remove it")
        }
        return Translation(locale: locale, content: MessageReader.content(section))
    }
}
