/// Why the crash test can't go on, as a sentence.
struct CrashFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
