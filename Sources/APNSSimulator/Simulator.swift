internal import LinuxIO
package import TLS

/// A local stand-in for Apple's push service: real HTTP/2 over real TLS, judged as strictly as
/// Apple's pages say.
///
/// `start` once, then `snapshot` and `transcript` at any time, then `stop`. Any thread. The thread
/// it starts ends with `stop`; a simulator that is dropped without it goes on serving until the
/// process ends.
package final class Simulator: Sendable {
    private struct Running {
        let mailbox: WorkerMailbox
        let thread: WorkerThread
    }

    /// The worker answers for a report within one turn of its loop, far below this.
    private static let reportNanosecondsMax: Int64 = 30_000_000_000

    private let context: WorkerContext
    private let running = Monitor<Running?>(nil)
    private let finalReport = ReportBox(nil)

    /// Prepares a simulator; nothing listens yet.
    ///
    /// - Parameters:
    ///   - configuration: How it plays.
    ///   - certificates: Of which it shows the server's certificate.
    /// - Throws: `SimulatorError` if certificate and key do not fit.
    package init(
        _ configuration: SimulatorConfiguration, certificates: CertificateSet
    ) throws(SimulatorError) {
        do {
            context = WorkerContext(
                configuration: configuration,
                script: Self.script(configuration),
                tls: try TLSContext.server(
                    certificatePEM: certificates.serverCertificatePEM,
                    privateKeyPEM: certificates.serverKeyPEM, protocols: ["h2"],
                    clientAuthorityPEM: configuration.clientAuthorityPEM),
                seen: SeenValues(
                    tokensMax: configuration.trackedTokensMax,
                    tokensExpected: configuration.tokensExpected))
        } catch {
            throw .tls(error)
        }
    }

    private static func script(_ configuration: SimulatorConfiguration) -> any SimulatorScript {
        if let script = configuration.script { return script }
        let base: any SimulatorScript =
            if let mood = configuration.mood {
                MoodScript(mood, clock: MonotonicClock.nanoseconds)
            } else {
                FlagScript(configuration)
            }
        return configuration.scenario.map { ScenarioScript(over: base, $0) } ?? base
    }

    /// Starts listening and serving; once.
    ///
    /// - Returns: The port.
    /// - Throws: `SimulatorError` such as "listen on 127.0.0.1:8443: Address already in use".
    package func start() throws(SimulatorError) -> UInt16 {
        do {
            return try listen()
        } catch {
            throw .system(error)
        }
    }

    private func listen() throws(SystemError) -> UInt16 {
        let poller = try Poller()
        let mailbox = WorkerMailbox(waker: poller.waker)
        let worker = SimulatorWorker(context: context, poller: poller, mailbox: mailbox)
        let port = try worker.listen()
        let handedOver = HandedOver(worker: worker)
        let finalReport = finalReport
        let thread = try WorkerThread.start(name: "simulator") {
            let report = handedOver.worker.run()
            finalReport.withLock { $0 = report }
            finalReport.signal()
        }
        running.withLock { running in
            precondition(running == nil, "a simulator is started once")
            running = Running(mailbox: mailbox, thread: thread)
        }
        return port
    }

    /// What was received and answered up to now. Waits for the loop to come round.
    ///
    /// - Returns: The statistics; of a stopped simulator, the final ones.
    package func snapshot() -> SimulatorStatistics {
        SimulatorStatistics(report()?.counters ?? WorkerCounters(), seen: context.seen.counts)
    }

    /// The requests kept word by word, in the order of their arrival.
    ///
    /// - Returns: At most `transcriptRequestsMax`.
    package func transcript() -> [ReceivedRequest] { report()?.transcript ?? [] }

    /// Closes the port and all connections and waits for the thread.
    ///
    /// - Returns: The final statistics.
    package func stop() -> SimulatorStatistics {
        let taken = running.withLock { running in
            defer { running = nil }
            return running
        }
        taken?.mailbox.post(.stop)
        taken?.thread.join()
        return snapshot()
    }

    /// The worker's report; nil before `start`.
    private func report() -> WorkerReport? {
        guard let mailbox = running.withLock({ $0?.mailbox }) else {
            return finalReport.withLock { $0 }
        }
        let box = ReportBox(nil)
        let answering = mailbox.post(.report(box)) ? box : finalReport
        let deadline = MonotonicClock.nanoseconds() + Self.reportNanosecondsMax
        return answering.take(untilNanoseconds: deadline) { $0 }
    }
}

/// A worker on its way to its thread.
// Sendable without a lock because `start` makes the worker, hands it to one thread and forgets it.
private struct HandedOver: @unchecked Sendable {
    let worker: SimulatorWorker
}
