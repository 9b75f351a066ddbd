internal import Glibc

/// `sortie-soak`: sends a great many requests through every fault at once and checks the promises.
///
/// Exit status: 0 if they held, 1 if one was broken, 64 for a wrong command line.
enum SoakProgram {
    static func main() {
        guard let options = SoakOptions(Array(CommandLine.arguments.dropFirst())) else {
            say(SoakOptions.usage)
            exit(64)
        }
        say("seed \(options.seed)")
        do {
            var soak = Soak(options)
            let result = try soak.run()
            say(result.table)
            for sentence in result.broken { say("BROKEN \(sentence)") }
            exit(result.broken.isEmpty ? 0 : 1)
        } catch {
            say("the soak can't run: \(error)")
            exit(1)
        }
    }

    /// Writes a line to stdout at once: a soak that is killed leaves what it had to say.
    private static func say(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        // Sound: the kernel reads as many bytes as the array has. Nothing helps if it takes none.
        _ = unsafe bytes.withUnsafeBytes {
            unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count)
        }
    }
}
