internal import Glibc
internal import LinuxIO

/// What the kernel tells of processes under `/proc`.
///
/// *Source:* proc(5); the first number of `schedstat` is the time on a processor in nanoseconds.
enum KernelFiles {
    private static let bytesMax = 1 << 20

    /// Processor time that a thread has used, in seconds; nil if it is gone.
    static func threadSeconds(_ processID: Int32, thread: String) -> Double? {
        scheduledSeconds("/proc/\(processID)/task/\(thread)/schedstat")
    }

    /// A thread's name; nil if it is gone.
    static func threadName(_ processID: Int32, thread: String) -> String? {
        text("/proc/\(processID)/task/\(thread)/comm").map { String($0.prefix { $0 != "\n" }) }
    }

    /// The numbers of a process's threads; none if it is gone.
    static func threads(_ processID: Int32) -> [String] { names("/proc/\(processID)/task") }

    /// Processor time of a process's living threads, in seconds.
    static func processSeconds(_ processID: Int32) -> Double {
        threads(processID).reduce(0) { $0 + (threadSeconds(processID, thread: $1) ?? 0) }
    }

    /// The most memory a process ever had resident, in bytes; nil if it is gone.
    static func peakBytes(_ processID: Int32) -> Int? {
        guard let text = text("/proc/\(processID)/status") else { return nil }
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
        else { return nil }
        return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first
            .flatMap { Int($0) }.map { $0 * 1_024 }
    }

    /// Processor time of a process of one thread, its children and those of them that have ended,
    /// in seconds: all that a PostgreSQL server and its backends have used.
    static func familySeconds(_ processID: Int32) -> Double {
        let children = text("/proc/\(processID)/task/\(processID)/children") ?? ""
        let living = children.split(separator: " ").reduce(0.0) { sum, child in
            sum + (scheduledSeconds("/proc/\(child)/schedstat") ?? 0)
        }
        let own = scheduledSeconds("/proc/\(processID)/schedstat") ?? 0
        return own + living + endedChildrenSeconds(processID)
    }

    /// Fields 16 and 17 of `stat`, counted behind the name, which may hold blanks.
    private static func endedChildrenSeconds(_ processID: Int32) -> Double {
        guard let text = text("/proc/\(processID)/stat"),
            let nameEnd = text.lastIndex(of: ")")
        else { return 0 }
        let fields = text[nameEnd...].split(separator: " ")
        guard fields.count > 14 else { return 0 }
        let ticks = (Double(fields[13]) ?? 0) + (Double(fields[14]) ?? 0)
        return ticks / Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
    }

    private static func scheduledSeconds(_ path: String) -> Double? {
        text(path)?.split(separator: " ").first.flatMap { Double($0) }.map { $0 / 1e9 }
    }

    /// A file's text; nil if it can't be read: what it told of is gone.
    static func text(_ path: String) -> String? {
        guard let bytes = try? FileContents.read(path, limitBytes: bytesMax) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func names(_ folder: String) -> [String] {
        // Sound: the stream is closed below, and each entry is read before the next one is asked
        // for; its name ends with a NUL within its 256 bytes.
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            // Sound: as above; the copy is read where it lies.
            var name = unsafe entry.pointee.d_name
            let text = unsafe withUnsafeBytes(of: &name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !text.hasPrefix(".") { names.append(text) }
        }
        return names
    }
}
