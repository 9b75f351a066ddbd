/// What a program used from its start to its end.
struct ProcessUsage: Sendable {
    /// Seconds on the clock.
    var wallSeconds = 0.0
    /// Processor time in the program's own code, in seconds; complete.
    var userSeconds = 0.0
    /// And in the kernel, in seconds; complete.
    var systemSeconds = 0.0
    /// Processor time by the thread's name, in seconds, as far as it was seen: what a thread used
    /// after the last look at it is missing here.
    var threadSeconds: [String: Double] = [:]
    /// The most memory it had resident, in bytes, as far as it was seen.
    var peakBytes = 0

    /// All of its processor time, in seconds.
    var processorSeconds: Double { userSeconds + systemSeconds }

    /// What no thread was seen to use, in seconds.
    var unseenSeconds: Double {
        max(0, processorSeconds - threadSeconds.values.reduce(0, +))
    }
}
