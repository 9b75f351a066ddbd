internal import Glibc
internal import LinuxIO

/// `sortie-bench`: measures sortie beside h2load; see Scripts/bench.
///
/// Exit status: 0 if everything asked for was measured, 1 if something could not be, 64 for a wrong
/// command line.
enum BenchProgram {
    static func main() {
        guard let options = BenchOptions(Array(CommandLine.arguments.dropFirst())) else {
            say(BenchOptions.usage)
            exit(64)
        }
        do {
            let bench = Bench(options: options, stop: try StopFlag(), say: say)
            exit(try bench.run() ? 0 : 1)
        } catch {
            say("the benchmark can't run: \(error)")
            exit(1)
        }
    }

    /// Writes a line to stdout at once.
    private static func say(_ text: String) {
        let bytes = Array((text + "\n").utf8)
        // Sound: the kernel reads as many bytes as the array has. Nothing helps if it takes none.
        _ = unsafe bytes.withUnsafeBytes {
            unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count)
        }
    }
}
