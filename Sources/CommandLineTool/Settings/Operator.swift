internal import LinuxIO

/// Who started the program, for the record.
enum Operator {
    /// The login name as the environment has it, else the user's number.
    static var name: String {
        Environment.value("LOGNAME") ?? Environment.value("USER") ?? "uid \(ProcessFacts.userID)"
    }
}
