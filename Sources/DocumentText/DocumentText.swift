package import DocumentTree

/// Reads a file that a person wrote: JSON with YAML's comforts.
///
/// Any JSON is valid; `#` comments, keys without quotes, trailing commas, block text and plain YAML
/// are welcome. What would surprise is refused with its place: duplicate keys, `//` comments,
/// anchors, aliases, tags, several documents, typographic quotes and blanks in the place of plain
/// ones, encodings other than UTF-8.
///
/// *Thread*: any; nothing is shared between calls.
package enum DocumentText {
    /// How large a document may be.
    package struct Limits: Sendable, Hashable {
        /// The largest file in bytes.
        package let bytesMax: Int
        /// The deepest nesting of lists and fields.
        package let depthMax: Int

        /// Limits of a document.
        ///
        /// - Parameters:
        ///   - bytesMax: the largest file in bytes; 1 MiB is far more than anybody types.
        ///   - depthMax: the deepest nesting, the root counting as 1. The parser has a limit of
        ///     64 of its own, so more than that cannot be asked for.
        package init(bytesMax: Int = 1 << 20, depthMax: Int = 32) {
            precondition(bytesMax > 0 && (1...60).contains(depthMax), "limits out of range")
            self.bytesMax = bytesMax
            self.depthMax = depthMax
        }
    }

    /// Reads the bytes of a file into a tree.
    ///
    /// - Parameters:
    ///   - bytes: the whole file; a byte-order mark and CRLF line ends are accepted.
    ///   - file: the file as the user named it, for the messages.
    ///   - limits: how large the document may be.
    /// - Returns: the root value, or everything that is wrong with the text.
    /// - Complexity: linear in the size of the file; allocates the tree.
    package static func parse(
        _ bytes: [UInt8], file: String, limits: Limits = Limits()
    ) -> Result<DocumentNode, Diagnostics> {
        let text: ArraySlice<UInt8>
        do {
            text = try SourceCheck.utf8Text(bytes, file: file, bytesMax: limits.bytesMax)
        } catch {
            return .failure(error)
        }
        var builder = TreeBuilder(file: file, depthMax: limits.depthMax)
        let syntaxFault = FyamlParser.read(text) { event in builder.take(event) }
        if let syntaxFault { builder.report(syntaxFault, in: SourceLines(text)) }
        return builder.finish()
    }
}
