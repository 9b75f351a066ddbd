internal import Glibc
internal import LinuxIO

/// The program's two outputs: results on stdout, everything else on stderr.
///
/// Any thread may call it; lines never interleave. A reader that closed its end of the pipe (`|
/// head`) is no error: the rest of the output is dropped. Any other failure to write results is
/// kept for the exit status, because a cut-off report must not pass for a whole one.
final class Console: Sendable {
    private struct State {
        var isResultsReaderGone = false
        var resultsFailure: Int32?
        /// Whether the last thing on the terminal is a progress line without a line end.
        var isProgressShown = false
    }

    /// Whether stderr is a terminal, which alone gets a progress line that rewrites itself.
    let isInteractive: Bool
    private let state = Monitor(State())

    init() {
        isInteractive = isatty(STDERR_FILENO) == 1 && Environment.value("TERM") != "dumb"
    }

    /// Writes results to stdout.
    func output(_ text: String) { output(Array(text.utf8)) }

    /// Writes results to stdout.
    func output(_ bytes: [UInt8]) {
        state.withLock { state in
            clearProgress(&state)
            if state.isResultsReaderGone || state.resultsFailure != nil { return }
            guard let code = Self.write(bytes, to: STDOUT_FILENO) else { return }
            if code == EPIPE {
                state.isResultsReaderGone = true
            } else {
                state.resultsFailure = code
            }
        }
    }

    /// Writes one message, a line or several, to stderr.
    func message(_ text: String) {
        state.withLock { state in
            clearProgress(&state)
            // A message that cannot be written has nowhere else to go.
            _ = Self.write(Array("\(text)\n".utf8), to: STDERR_FILENO)
        }
    }

    /// Shows a line that the next one, or the next message, replaces. Only on a terminal.
    func progress(_ line: String) {
        guard isInteractive else { return }
        state.withLock { state in
            // "Erase to the end of the line" tidies what a longer line before left behind.
            _ = Self.write(Array("\r\(line)\u{1B}[K".utf8), to: STDERR_FILENO)
            state.isProgressShown = true
        }
    }

    /// Takes the progress line away.
    func endProgress() {
        state.withLock { clearProgress(&$0) }
    }

    /// The errno of the first write of results that failed for another reason than a closed pipe.
    var resultsFailure: Int32? { state.withLock(\.resultsFailure) }

    private func clearProgress(_ state: inout State) {
        guard state.isProgressShown else { return }
        _ = Self.write(Array("\r\u{1B}[K".utf8), to: STDERR_FILENO)
        state.isProgressShown = false
    }

    /// - Returns: nil, or the errno of the write that failed.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        var bytes = bytes[...]
        while !bytes.isEmpty {
            // Sound: the buffer lives for the call and its own length is passed.
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress, buffer.count)
            }
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN { awaitWritable(descriptor) } else { return errno }
            } else {
                bytes = bytes.dropFirst(count)
            }
        }
        return nil
    }

    /// A terminal shared with a program that made it non-blocking may refuse for a moment.
    private static func awaitWritable(_ descriptor: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // Sound: one entry, which lives for the call.
        _ = unsafe poll(&entry, 1, 1_000)
    }
}
