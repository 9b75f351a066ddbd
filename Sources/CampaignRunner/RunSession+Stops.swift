internal import CampaignStore
internal import LinuxIO
internal import SendPolicy

/// How a worker's part ends early.
extension RunSession {
    /// The longest wait for other workers to stop: their answers on the wire, and the lease of one
    /// that is lost.
    private static let othersNanosecondsMax: Int64 = 60_000_000_000
    private static let othersLookNanoseconds: Int64 = 200_000_000

    /// Ends this worker's part. Returns nil if the run goes on after all.
    mutating func stopped(_ tripped: StopCause) throws(StoreError) -> RunEnd? {
        let cause = explained(tripped)
        if let begun, cause != .reload {
            observer.runDid(.phaseEnded(begun.phase, begun.progress, pruned: nil))
        }
        switch cause {
        case .reload:
            try reload()
            return nil
        case .leaseLost, .database: break
        case .closed(let state): return try closed(state)
        case .brake(let evidence):
            try stopAll(cause)
            try patiently { (store) throws(StoreError) in
                try store.addEvent(
                    run: run, kind: "brake", text: evidence.description, detail: evidence.json)
            }
            try undo()
            try leave(cause, pause: .brake)
        case .campaign:
            try stopAll(cause)
            try leave(cause, pause: .refused)
        case .wished(let wish):
            if wish.kind == .brake { try undo() }
            waitForOthers()
            try leave(cause, pause: nil)
        case .requested, .credentials, .unreachable, .untrusted:
            // It may have been over when the cause came.
            if try leave(cause, pause: cause.pause) == .finished { return .finished(runID: run.id) }
        }
        return RunText.end(
            cause, run: run, endpoint: request.endpoint, campaign: request.campaign)
    }

    /// The run has ended, or is paused, by what this worker or another did.
    func closed(_ state: RunState) throws(StoreError) -> RunEnd {
        _ = try patiently { (store) throws(StoreError) in
            try store.leave(run: run, reason: "the run is \(state.rawValue)", pause: nil)
        }
        if state == .finished { return .finished(runID: run.id) }
        let now = try patiently { (store) throws(StoreError) in try store.look(at: run).run }
        return RunText.closed(now)
    }

    /// Asks the others to stop, if the keeper has not done so, and waits until they have.
    private func stopAll(_ cause: StopCause) throws(StoreError) {
        if let wish = cause.wishForAll, !run.isRehearsal {
            _ = try patiently { (store) throws(StoreError) in
                try store.ask(runID: run.id, wish)
            }
            waitForOthers()
        }
    }

    /// Waits until the other workers have stopped or are evicted, so that the last one out finds
    /// nobody and the run is paused or cancelled when this process ends.
    private func waitForOthers() {
        let surroundings = request.surroundings
        let end = surroundings.monotonicNanoseconds() + Self.othersNanosecondsMax
        guard run.isLead else { return }
        while surroundings.monotonicNanoseconds() < end,
            let others = try? store.peers(run: run).contains(where: { $0.id != run.workerID }),
            others
        {
            surroundings.sleep(
                untilNanoseconds: surroundings.monotonicNanoseconds() + Self.othersLookNanoseconds)
        }
    }

    /// Gives up what this worker holds. A rehearsal is not gone on with: another one begins anew.
    @discardableResult
    private func leave(
        _ cause: StopCause, pause: PauseCause?
    ) throws(StoreError) -> RunState? {
        let reason = RunText.reason(cause)
        return try patiently { (store) throws(StoreError) in
            if run.isRehearsal, try !store.look(at: run).run.state.isFinal {
                try store.setState(run: run, to: .cancelled, reason: reason, cause: nil)
            }
            return try store.leave(run: run, reason: reason, pause: pause)
        }
    }

    /// Reads the credentials again. What was on the wire has ended; the phase begins anew with what
    /// is left of it.
    private mutating func reload() throws(StoreError) {
        stop.clearReload()
        guard let endpoint = request.reloaded?() else {
            observer.runDid(.note("The credentials could not be read again; the old ones stay."))
            return
        }
        request.endpoint = endpoint
        try prepareCredential()
        observer.runDid(.note("The credentials were read again."))
    }

    private func undo() throws(StoreError) {
        let undone = try patiently { (store) throws(StoreError) in
            try store.undoTokenStatus(run: run)
        }
        if undone > 0 {
            observer.runDid(
                .note("\(undone) devices that this run had pruned are active again."))
        }
    }
}

extension StopCause {
    /// Why a run is paused that has no other worker when this one stops for the cause.
    fileprivate var pause: PauseCause {
        switch self {
        case .requested, .reload: .stop
        case .brake: .brake
        case .credentials, .campaign: .refused
        case .unreachable, .untrusted, .database, .leaseLost, .wished, .closed: .unreachable
        }
    }
}
