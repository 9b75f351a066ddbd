package import APNSClient
package import CampaignStore
package import LinuxIO

/// The real world: the kernel's clocks and threads, PostgreSQL, APNs.
package struct SystemSurroundings: RunSurroundings {
    private let recoveryFolder: RecoveryFolder?

    /// The one world.
    ///
    /// - Parameter recoveryFolder: where a worker keeps what it could not record; nil: nowhere.
    package init(recoveryFolder: RecoveryFolder? = nil) {
        self.recoveryFolder = recoveryFolder
    }

    package func monotonicNanoseconds() -> Int64 { MonotonicClock.nanoseconds() }

    package func wallMicroseconds() -> Int64 { WallClock.microseconds() }

    package var waitPlace: (any WaitPlace)? { nil }

    package func startThread(
        name: String, _ body: sending @escaping () -> Void
    ) throws(SystemError) -> any RunThread {
        try WorkerThread.start(name: name, body)
    }

    package func openStore(
        conninfo: String, purpose: String
    ) throws(StoreError) -> sending any RunStore {
        try Store(conninfo: conninfo, purpose: purpose)
    }

    package func startClient(
        configuration: PushClientConfiguration, delegates: sending [any PushLoopDelegate]
    ) throws(SystemError) -> any RunClient {
        try PushClient(configuration: configuration, delegates: delegates)
    }

    package func workerFacts(version: String) -> WorkerFacts {
        let pid = ProcessFacts.processID
        return WorkerFacts(
            host: ProcessFacts.hostName, pid: pid,
            pidStartedTicks: ProcessFacts.startTicks(of: pid) ?? 0,
            pidSpace: ProcessFacts.pidSpace, version: version)
    }

    package func isAlive(processID: Int32, startedAtTicks: UInt64) -> Bool {
        ProcessFacts.isAlive(processID: processID, startedAtTicks: startedAtTicks)
    }

    package var bootID: String { ProcessFacts.bootID }

    package func keep(unrecorded: [RecordBatch], of run: Run) throws(SystemError) -> String {
        guard let recoveryFolder else {
            throw SystemError(
                "keep", "what could not be recorded",
                explanation: "there is no folder for recovery files")
        }
        return try recoveryFolder.append(unrecorded, of: run) ?? recoveryFolder.path
    }

    package func randomBits() -> UInt64 { .random(in: .min ... .max) }
}
