// A directory for one test.

import Glibc
import LinuxIO

/// Makes a directory, runs `body` with its path, and removes it with everything in it.
///
/// - Parameter body: The test.
/// - Returns: What `body` returns.
/// - Throws: What `body` throws.
package func withTemporaryDirectory<R>(_ body: (String) throws -> R) throws -> R {
    let path = "/tmp/sortie-test-\(getpid())-\(UInt64.random(in: 0...UInt64.max))"
    try FileContents.makeDirectory(path, mode: 0o755)
    defer {
        do {
            _ = try ChildProcess.run(
                "/bin/rm", ["-rf", path],
                untilNanoseconds: MonotonicClock.nanoseconds() + 60_000_000_000)
        } catch {
            print("could not remove \(path): \(error)")
        }
    }
    return try body(path)
}
