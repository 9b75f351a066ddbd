internal import Glibc
internal import LinuxIO

/// `sortie-crash`: kills everything that takes part in a run, again and again, and checks the
/// promises; see Scripts/crash-test.
///
/// Exit status: 0 if they held, 1 if one was broken or the test can't run, 64 for a wrong command
/// line.
enum CrashProgram {
    static func main() {
        guard let options = CrashOptions(Array(CommandLine.arguments.dropFirst())) else {
            say(CrashOptions.usage)
            exit(64)
        }
        do {
            let stop = try StopFlag()
            exit(try run(options, stop) ? 0 : 1)
        } catch {
            say("the crash test can't run: \(error)")
            exit(1)
        }
    }

    private static func run(_ options: CrashOptions, _ stop: StopFlag) throws -> Bool {
        switch options.kind {
        case .rounds: try CrashTest(options: options, stop: stop, say: say).run()
        case .network: try NetworkTest(options: options, stop: stop, say: say).run()
        case .restarts: try RestartTest(options: options, stop: stop, say: say).run()
        }
    }

    /// Writes a line to stdout at once: a test that is killed leaves what it had to say.
    static func say(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        // Sound: the kernel reads as many bytes as the array has. Nothing helps if it takes none.
        _ = unsafe bytes.withUnsafeBytes {
            unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count)
        }
    }
}
