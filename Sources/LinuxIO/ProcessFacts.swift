internal import CLinux
internal import Glibc

/// What is to be known about this process, its machine, and other processes on it; any thread.
package enum ProcessFacts {
    /// This process's number.
    package static var processID: Int32 { getpid() }

    /// The file that this process runs, with " (deleted)" behind its path if it was replaced since;
    /// empty if the system does not say.
    ///
    /// *C:* `readlink(2)` of `/proc/self/exe`.
    package static var executablePath: String {
        let capacity = Int(PATH_MAX)
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) {
            // Sound: the kernel writes at most so many bytes, and says how many.
            (buffer) -> String in
            guard let start = buffer.baseAddress else { return "" }
            let count = unsafe readlink("/proc/self/exe", start, capacity)
            let bytes = unsafe buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// The effective user's number; 0 is root.
    package static var userID: UInt32 { geteuid() }

    /// The machine's name as it knows itself, cut after 64 bytes, the kernel's limit.
    ///
    /// *C:* `gethostname`.
    package static var hostName: String {
        // Sound: at most 64 bytes and the NUL are written; one byte is spare, so there is a NUL.
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 66) { buffer in
            unsafe buffer.initialize(repeating: 0)
            guard let start = buffer.baseAddress, unsafe gethostname(start, 65) == 0 else {
                return "localhost"
            }
            return unsafe String(cString: start)
        }
    }

    /// Names this boot of this machine: within it, `MonotonicClock` counts on. Empty if the system
    /// does not say.
    ///
    /// *C:* `/proc/sys/kernel/random/boot_id`, `random(4)`.
    package static var bootID: String {
        // Without the file there is no name, which is an answer.
        let bytes = try? FileContents.read("/proc/sys/kernel/random/boot_id", limitBytes: 64)
        let line = (bytes ?? []).prefix { $0 != UInt8(ascii: "\n") }
        return String(decoding: line, as: UTF8.self)
    }

    /// The space that process ids of this process count in: this boot and the kernel's namespace.
    /// Equal texts mean that a process id of one process means the same to the other.
    ///
    /// *C:* `readlink(2)` of `/proc/self/ns/pid`.
    package static var pidSpace: String {
        let capacity = 64
        let name = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) {
            // Sound: the kernel writes at most so many bytes, and says how many.
            (buffer) -> String in
            guard let start = buffer.baseAddress else { return "" }
            let count = unsafe readlink("/proc/self/ns/pid", start, capacity)
            let bytes = unsafe buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
            return String(decoding: bytes, as: UTF8.self)
        }
        return "\(bootID) \(name)"
    }

    /// The processors this process may run on, at least 1.
    ///
    /// *C:* `sysconf` _SC_NPROCESSORS_ONLN.
    package static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// The machine's memory in bytes; 0 if the kernel does not say.
    ///
    /// *C:* `sysconf` _SC_PHYS_PAGES, _SC_PAGESIZE.
    package static var memoryBytes: Int {
        max(0, sysconf(Int32(_SC_PHYS_PAGES))) * max(0, sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The processor time this process has used so far, user and system, in seconds.
    ///
    /// *C:* `getrusage`.
    package static var cpuSeconds: Double {
        let usage = usage()
        func seconds(_ time: timeval) -> Double {
            Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
        }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// The most memory this process ever had resident, in bytes.
    ///
    /// *C:* `getrusage`, which counts in KiB on Linux.
    package static var peakMemoryBytes: Int { usage().ru_maxrss * 1_024 }

    /// When a process was started, in clock ticks since the machine was: with its number it names
    /// one process, though numbers are used again.
    ///
    /// - Parameter processID: the process's number.
    /// - Returns: the ticks; nil when there is no such process, or it has ended and merely waits
    ///   for its parent to take notice.
    ///
    /// *C:* fields 3 and 22 of `/proc/PID/stat`, `proc(5)`.
    package static func startTicks(of processID: Int32) -> UInt64? {
        // A missing file is the answer here: no such process.
        guard let bytes = try? FileContents.read("/proc/\(processID)/stat", limitBytes: 4_096)
        else { return nil }
        // The second field is the program's name in parentheses, which may hold anything.
        guard let end = bytes.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = bytes[(end + 1)...].split(separator: UInt8(ascii: " "))
        guard fields.count > 19, !["Z", "X"].contains(String(decoding: fields[0], as: UTF8.self))
        else { return nil }
        return UInt64(String(decoding: fields[19], as: UTF8.self))
    }

    /// Whether a process that was seen earlier still runs.
    ///
    /// - Parameters:
    ///   - processID: its number.
    ///   - startedAtTicks: what `startTicks` said about it then.
    /// - Returns: false when it is gone, or another process has its number now.
    package static func isAlive(processID: Int32, startedAtTicks: UInt64) -> Bool {
        startTicks(of: processID) == startedAtTicks
    }

    private static func usage() -> rusage {
        var usage = rusage()
        // Sound: the structure is written during the call. It can't fail for this process.
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage
    }
}
