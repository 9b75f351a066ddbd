internal import LinuxIO

/// The kind of machine that figures come from.
struct Machine: Sendable {
    let processor: String
    let processors: Int
    let memoryGiB: Int
    let kernel: String
    /// Programs that wanted a processor, on average over the minute before.
    let load: String

    /// This machine, as far as it says.
    static func current() -> Machine {
        let model = line("/proc/cpuinfo", "model name") ?? "unknown processor"
        let memory = line("/proc/meminfo", "MemTotal")?.split(separator: " ").first
        let kibibytes = memory.flatMap { Int($0) } ?? 0
        return Machine(
            processor: model, processors: ProcessFacts.processorCount,
            memoryGiB: (kibibytes + (1 << 19)) >> 20,
            kernel: String(
                (KernelFiles.text("/proc/sys/kernel/osrelease") ?? "").prefix { $0 != "\n" }),
            load: String((KernelFiles.text("/proc/loadavg") ?? "").prefix { $0 != " " }))
    }

    var text: String {
        "\(processor), \(processors) processors, \(memoryGiB) GiB, Linux \(kernel)"
    }

    private static func line(_ path: String, _ name: String) -> String? {
        let lines = (KernelFiles.text(path) ?? "").split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix(name) }),
            let colon = line.firstIndex(of: ":")
        else { return nil }
        let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
        return String(value)
    }
}
