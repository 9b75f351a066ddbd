/// One place where the repository breaks a rule of the house.
struct Violation: Equatable, CustomStringConvertible {
    let path: String
    /// Counted from 1; 0 stands for the whole file.
    let line: Int
    /// What is wrong, then what to do.
    let advice: String

    var description: String { "\(path):\(line): \(advice)" }
}

/// The violations as a list to read in a failed test.
func listed(_ violations: [Violation]) -> String {
    violations.map(\.description).joined(separator: "\n")
}
