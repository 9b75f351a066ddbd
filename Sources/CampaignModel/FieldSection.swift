internal import DocumentTree

/// A mapping of the file while it is read field by field.
struct FieldSection {
    /// The path from the root; empty for the root.
    let path: String
    /// Where the mapping begins.
    let place: SourcePlace
    /// The fields in the order of the file.
    let entries: [DocumentEntry]
    /// The names that are known here, and where others belong.
    let catalog: FieldCatalog
    /// Takes what is wrong.
    let collector: DiagnosticCollector

    /// The root of a file; any other kind of value is noted and read as if it were empty.
    ///
    /// - Parameters:
    ///   - root: the document's root.
    ///   - catalog: the names of this kind of file.
    ///   - collector: takes what is wrong.
    init(root: DocumentNode, catalog: FieldCatalog, collector: DiagnosticCollector) {
        let value = FieldValue(node: root, path: "", catalog: catalog, collector: collector)
        self = value.section(named: "") ?? FieldSection(emptyAt: value)
    }

    /// A mapping under a field.
    ///
    /// - Parameters:
    ///   - entries: its fields.
    ///   - value: the field that holds it.
    init(_ entries: [DocumentEntry], of value: FieldValue) {
        self.entries = entries
        path = value.path
        place = value.node.place
        catalog = value.catalog
        collector = value.collector
    }

    private init(emptyAt value: FieldValue) {
        self.init([], of: value)
    }

    /// A field's value.
    ///
    /// - Parameter name: the field.
    /// - Returns: nil when it is not given.
    subscript(name: String) -> FieldValue? {
        guard let entry = entries.first(where: { $0.key == name }) else { return nil }
        return value(of: entry)
    }

    /// The value of an entry, with its path.
    ///
    /// - Parameter entry: one of ``entries``.
    /// - Returns: the value.
    func value(of entry: DocumentEntry) -> FieldValue {
        FieldValue(
            node: entry.value, path: childPath(entry.key), catalog: catalog, collector: collector)
    }

    /// A field that must be given; its absence is noted at the place of this mapping.
    ///
    /// - Parameters:
    ///   - name: the field.
    ///   - example: how it could be written.
    /// - Returns: nil when it is not given.
    func required(_ name: String, example: String) -> FieldValue? {
        if let value = self[name] { return value }
        // With a misspelt name the field is not missing too: one sentence is enough.
        let isMisspelt = entries.contains { entry in
            catalog.suggestion(for: entry.key, in: sectionName) == name
        }
        if !isMisspelt {
            collector.error(
                place, childPath(name), "this field is missing; write one such as \(example)")
        }
        return nil
    }

    /// The mapping under a field.
    ///
    /// - Parameter name: the field.
    /// - Returns: nil when it is not given or is no mapping (which is noted).
    func section(_ name: String) -> FieldSection? {
        self[name]?.section(named: childSection(name))
    }

    /// Notes every field that is not known here.
    func checkNames() {
        let known = catalog.names(in: sectionName)
        for entry in entries where !known.contains(entry.key) {
            collector.error(
                entry.keyPlace, path,
                "unknown field \(ShownText.quoted(entry.key)); "
                    + catalog.advice(for: entry.key, in: sectionName))
        }
    }

    /// The name of this mapping in the catalog: its path with `*` for keys the author chooses.
    private var sectionName: String { catalog.sectionName(ofPath: path) }

    private func childSection(_ name: String) -> String {
        sectionName.isEmpty ? name : sectionName + "." + name
    }

    private func childPath(_ name: String) -> String {
        PathText.joined([path, PathText.part(name)].filter { !$0.isEmpty })
    }
}
