internal import APNSClient
internal import CampaignStore
internal import SendPolicy

/// Opening connections, and beginning requests.
extension ModelClient {
    /// Opens what is closed and due. Fails for good when nothing could be opened several times.
    func openConnections(_ now: Int64) {
        guard !waiting.isEmpty, !isStopping else { return }
        for index in connections.indices
        where !connections[index].isOpen && connections[index].opensAt <= now {
            guard process.machine.apnsCutUntil > process.scheduler.now else {
                connections[index].isOpen = true
                connections[index].cuts = process.machine.apnsCuts
                continue
            }
            failures += 1
            connections[index].opensAt = now + min(Int64(failures) * 1_000_000_000, 15_000_000_000)
            if failures >= Self.failuresMax {
                hasFailed = true
                delegate.loopFailed(.unreachable("no connection could be opened"))
            }
        }
    }

    private static let failuresMax = 8

    /// Begins what streams, buckets and the permit allow.
    func dispatch(_ now: Int64) -> Int {
        guard !isStopping, !process.isKilled else { return 0 }
        var begun = 0
        for index in connections.indices where connections[index].isOpen {
            var free = configuration.maxInFlight - flights.count { $0.connection == index }
            while free > 0, !waiting.isEmpty, mayBegin(now),
                connections[index].bucket.take(nowNanoseconds: now), takeShare(now)
            {
                begin(waiting.removeFirst(), on: index, now)
                begun += 1
                free -= 1
            }
        }
        return begun
    }

    private func mayBegin(_ now: Int64) -> Bool {
        guard let permit = configuration.permit else { return true }
        return now < permit.deadlineNanoseconds
    }

    /// The share is one for all clients of the process, and counted in the simulation's time.
    private func takeShare(_ now: Int64) -> Bool {
        process.share.change(
            toThousandths: configuration.permit?.thousandthsPerSecond, nowNanoseconds: now)
        return process.share.take(nowNanoseconds: now)
    }

    private func begin(_ entry: Entry, on connection: Int, _ now: Int64) {
        let request = Checks.Request(
            process: process, workerID: process.workerID, phase: phase,
            ordinal: entry.push.ordinal)
        let fate = process.world.apns.begins(request)
        flights.append(
            Flight(
                entry: entry, connection: connection, sentAt: now,
                sentWall: process.wallMicroseconds(), fate: fate, due: due(fate, now)))
    }

    private func due(_ fate: ModelAPNs.Fate, _ now: Int64) -> Int64? {
        switch fate {
        case .answer(_, _, _, let after), .refused(let after), .reset(let after),
            .connectionLost(let after):
            now + after
        case .silence: nil
        }
    }

    /// When to look again, at the latest. What the permit says is looked up often enough.
    func nextMoment(_ now: Int64) -> Int64? {
        var next = Int64.max
        for flight in flights {
            next = min(next, flight.due.map { max($0, now + 1) } ?? .max)
            next = min(next, flight.sentAt + configuration.requestTimeoutNanoseconds)
        }
        if let stopDeadline, !flights.isEmpty { next = min(next, stopDeadline) }
        // While the machine is cut off, answers that are due do not come.
        if process.machine.apnsCutUntil > process.scheduler.now {
            next = min(max(next, now + 100_000_000), now + 500_000_000)
        }
        guard !waiting.isEmpty, !isStopping else { return next == .max ? nil : next }
        for index in connections.indices {
            let connection = connections[index]
            let moment =
                connection.isOpen
                ? connection.bucket.nextNanoseconds(nowNanoseconds: now) : connection.opensAt
            next = min(next, max(moment, now + 5_000_000))
        }
        return min(next, now + 50_000_000)
    }
}
