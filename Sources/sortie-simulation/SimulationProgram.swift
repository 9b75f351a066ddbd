internal import Glibc
internal import RunSimulation

/// `sortie-simulation`: lives through runs out of seeds and checks the promises at every step.
///
/// Exit status: 0 if they held, 1 if one was broken, 64 for a wrong command line.
enum SimulationProgram {
    static func main() {
        guard let options = SimulationOptions(Array(CommandLine.arguments.dropFirst())) else {
            say(SimulationOptions.usage)
            exit(64)
        }
        var total = SimulationTotal()
        let trace: ((String) -> Void)? = options.isTraced ? { say($0) } : nil
        for seed in options.seeds {
            let report = Simulation.run(seed: seed, fault: options.fault, trace: trace)
            total.add(report)
            if let fault = report.fault {
                say("FAILED seed \(seed) after \(report.steps) steps: \(fault)")
                let broken = options.fault.map { " --fault \($0)" } ?? ""
                say("  Scripts/simulate --seed \(seed)\(broken) --trace")
            } else if options.isTraced || options.isVerbose {
                say("seed \(seed): \(report.steps) steps, \(report.state), digest \(report.digest)")
            }
        }
        say(total.line)
        exit(total.failures == 0 ? 0 : 1)
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
