// The one error of this room.

/// Why the private PostgreSQL can't do what was asked, and what to do about it.
package struct ClusterError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was being done: "start the private PostgreSQL in /srv/sortie".
    package let attempted: String
    /// What went wrong, in the words of the program or the system call that failed.
    package let cause: String
    /// What to do about it; nil if the cause says enough.
    package let advice: String?

    /// Creates an error.
    package init(attempted: String, cause: String, advice: String? = nil) {
        self.attempted = attempted
        self.cause = cause
        self.advice = advice
    }

    package var description: String {
        "could not \(attempted): \(cause)" + (advice.map { "; \($0)" } ?? "")
    }
}
