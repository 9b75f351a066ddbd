internal import LinuxIO

/// The part of a page that the benchmark writes itself.
enum PageTables {
    private static let beginning = "<!-- Scripts/bench writes from here -->"
    private static let end = "<!-- to here -->"

    /// Replaces what stands between the marks.
    ///
    /// - Parameters:
    ///   - page: The page's path.
    ///   - results: What to write.
    /// - Throws: `BenchFailure` if the marks are not there.
    static func replace(on page: String, with results: BenchResults) throws {
        let bytes = try FileContents.read(page, limitBytes: 10 << 20)
        let text = String(decoding: bytes, as: UTF8.self)
        guard let start = text.firstRange(of: beginning),
            let stop = text[start.upperBound...].firstRange(of: end)
        else { throw BenchFailure("\(page) has no \"\(beginning)\" with \"\(end)\" after it") }
        let tables = results.tables.map { "### \($0.title)\n\n\($0.markdown)" }
        let parts = tables + results.notes
        let new =
            text[..<start.upperBound] + "\n\n" + parts.joined(separator: "\n\n") + "\n\n"
            + text[stop.lowerBound...]
        try FileContents.write(page, Array(String(new).utf8), mode: 0o644)
    }
}
