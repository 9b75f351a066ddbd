internal import CLinux
internal import Glibc

/// A call to the system that failed: what was attempted, on what, and why.
///
/// Its text is a sentence such as `connect to 127.0.0.1:443: Connection refused`. It holds names
/// and addresses only, never the bytes that were read or written.
package struct SystemError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was attempted, in words that read well before `subject`: "connect to", "open".
    package let call: String

    /// On what: a path, an address, a program.
    package let subject: String

    /// The value of `errno`, or 0 where the cause is not one (a host name that does not exist).
    package let code: Int32

    /// Why it failed, in the system's words: "Connection refused".
    package let explanation: String

    /// Describes a call that answered with an `errno`.
    ///
    /// - Parameters:
    ///   - call: what was attempted, such as "connect to".
    ///   - subject: on what.
    ///   - code: the `errno`, read at once after the call.
    package init(_ call: String, _ subject: String, code: Int32) {
        self.call = call
        self.subject = subject
        self.code = code
        self.explanation = Self.text(of: code)
    }

    /// Describes a failure that has no `errno`.
    ///
    /// - Parameters:
    ///   - call: what was attempted, such as "resolve".
    ///   - subject: on what.
    ///   - explanation: why it failed.
    package init(_ call: String, _ subject: String, explanation: String) {
        self.call = call
        self.subject = subject
        self.code = 0
        self.explanation = explanation
    }

    /// The whole sentence.
    package var description: String { "\(call) \(subject): \(explanation)" }

    /// The system's words for an `errno`.
    private static func text(of code: Int32) -> String {
        // Sound: strerrordesc_np answers NULL or a string constant of the C library.
        guard let words = unsafe strerrordesc_np(code) else { return "error \(code)" }
        return unsafe String(cString: words)
    }
}

/// Runs a system call until no signal interrupts it, and turns -1 and `errno` into an error.
///
/// - Parameters:
///   - call: what is attempted, for the error's text.
///   - subject: on what; only evaluated when the call fails.
///   - body: the call, answering -1 when it failed.
/// - Returns: what the call answered.
/// - Throws: `SystemError` for every `errno` but EINTR.
@discardableResult
func systemCall<Answer: FixedWidthInteger & SignedInteger>(
    _ call: String, _ subject: @autoclosure () -> String, _ body: () -> Answer
) throws(SystemError) -> Answer {
    while true {
        let answer = body()
        if answer != -1 { return answer }
        let code = errno
        if code != EINTR { throw SystemError(call, subject(), code: code) }
    }
}
