internal import DocumentText
internal import DocumentTree
internal import Glibc
internal import LinuxIO

/// A file that a person wrote, read into a tree.
struct DocumentFile {
    /// The file as the user named it.
    let name: String
    let bytes: [UInt8]
    let root: DocumentNode

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - name: the file's path.
    ///   - code: the exit status if it can't be read or is no document.
    /// - Throws: `CommandFailure` with every fault of the text, each with its place.
    init(_ name: String, failingWith code: ExitCode) throws(CommandFailure) {
        self.name = name
        do {
            // One byte more than is allowed, so that the parser sees that there is more.
            bytes = try FileContents.read(name, limitBytes: DocumentText.Limits().bytesMax + 1)
        } catch {
            throw CommandFailure(code, Self.unreadable(name, error))
        }
        switch DocumentText.parse(bytes, file: name) {
        case .success(let root): self.root = root
        case .failure(let diagnostics): throw CommandFailure(code, diagnostics.description)
        }
    }

    private static func unreadable(_ name: String, _ error: SystemError) -> String {
        if error.code == ENOENT { return "\(name): no such file" }
        if error.code == EISDIR { return "\(name) is a folder; name a file in it" }
        return "\(name) can't be read: \(error.explanation)"
    }
}
