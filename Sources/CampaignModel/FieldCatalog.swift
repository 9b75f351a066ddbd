/// The names of all fields of one kind of file, and what people write instead of them.
struct FieldCatalog: Sendable {
    /// A mapping of the file and the names of its fields.
    struct Section: Sendable {
        /// The path with `*` for a key that the author chooses; empty for the root.
        let name: String
        /// The fields in the order of the documentation.
        let fields: [String]
        /// How a sentence says where they stand.
        let spoken: String

        /// A mapping of the file.
        ///
        /// - Parameters:
        ///   - name: the path with `*` at its end for what the author chooses.
        ///   - spoken: how a sentence says where the fields stand; nil: by the name.
        ///   - fields: the fields in the order of the documentation.
        init(name: String, spoken: String? = nil, fields: [String]) {
            self.name = name
            self.spoken = spoken ?? "in \"\(name)\""
            self.fields = fields
        }
    }

    /// Every mapping of the file.
    let sections: [Section]
    /// Advice for names of other programs, by the name without case, `-` and `_`.
    let advices: [String: String]

    /// The names that are known in a mapping.
    ///
    /// - Parameter section: the mapping's name.
    /// - Returns: the names; none for a mapping that is not in the catalog.
    func names(in section: String) -> [String] {
        sections.first { $0.name == section }?.fields ?? []
    }

    /// The catalog's name of a mapping.
    ///
    /// - Parameter path: its path in the file, such as `message.translations.hu`.
    /// - Returns: the path with `*` for what the author chose.
    func sectionName(ofPath path: String) -> String {
        if sections.contains(where: { $0.name == path }) { return path }
        let wild = sections.first { section in
            section.name.hasSuffix("*") && path.hasPrefix(section.name.dropLast())
        }
        return wild?.name ?? path
    }

    /// The name of the same mapping that was most likely meant.
    ///
    /// - Parameters:
    ///   - key: what was written.
    ///   - section: the mapping's name.
    /// - Returns: nil when nothing is near.
    func suggestion(for key: String, in section: String) -> String? {
        let known = names(in: section)
        if known.contains(key) { return nil }
        let folded = FieldCatalog.folded(key)
        if let same = known.first(where: { FieldCatalog.folded($0) == folded }) { return same }
        let near = EditDistance.nearest(to: key, among: known)
        // One letter off beats everything; else a name known elsewhere is no typing error.
        if let near, EditDistance.isOneChange(from: key, to: near) { return near }
        return advices[folded] == nil && homes(of: folded).isEmpty ? near : nil
    }

    /// What to write instead of an unknown field.
    ///
    /// - Parameters:
    ///   - key: what was written.
    ///   - section: the mapping's name.
    /// - Returns: the second half of a sentence.
    func advice(for key: String, in section: String) -> String {
        if let near = suggestion(for: key, in: section) { return "did you mean \"\(near)\"?" }
        let folded = FieldCatalog.folded(key)
        let homes = homes(of: folded)
        if let field = homes.first?.field {
            return "\"\(field)\" belongs "
                + FieldValue.alternatives(homes.map(\.spoken))
        }
        if let advice = advices[folded] { return advice }
        let known = names(in: section)
        let spoken = sections.first { $0.name == section }?.spoken ?? "here"
        return "the fields \(spoken) are " + known.joined(separator: ", ")
    }

    /// The mappings that have a field of this name, folded.
    private func homes(of folded: String) -> [(spoken: String, field: String)] {
        sections.compactMap { section in
            section.fields.first { FieldCatalog.folded($0) == folded }
                .map { (section.spoken, $0) }
        }
    }

    /// A name without case, `-` and `_`: `collapseId`, `Collapse-ID` and `collapse_id` are one.
    static func folded(_ key: String) -> String {
        key.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " }
    }
}
