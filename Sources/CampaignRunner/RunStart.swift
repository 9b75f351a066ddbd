internal import CampaignModel
internal import CampaignStore
internal import SendPolicy

/// Lets a run begin when its schedule says so, or says why it does not. The rules are those of
/// `StartRule`, by the database's clock.
///
/// Rehearsals and probes know no schedule: both are for the days before.
///
/// *Ownership and thread*: the run's own thread.
struct RunStart {
    /// What came of waiting.
    enum Outcome {
        /// It begins.
        case begins
        /// Something else comes first: the stop switch says what.
        case isStopped
        /// It ends here.
        case ends(RunEnd)
    }

    private let request: RunRequest
    private let store: any RunStore
    private let stop: StopSwitch
    private let observer: any RunObserver
    private let patience: DatabasePatience

    /// The clock is asked again after so long.
    private static let napNanoseconds: Int64 = 30_000_000_000

    init(
        request: RunRequest, store: any RunStore, stop: StopSwitch, observer: any RunObserver,
        patience: DatabasePatience
    ) {
        self.request = request
        self.store = store
        self.stop = stop
        self.observer = observer
        self.patience = patience
    }

    private var schedule: Schedule? {
        request.isRehearsal || request.kind == .probe ? nil : request.campaign.schedule
    }

    private var isJoining: Bool {
        if case .join = request.entry { true } else { false }
    }

    // MARK: - Before the run is opened

    /// The planned start, or the end if there is nothing to open: the zone does not exist, or the
    /// start is days away.
    ///
    /// - Returns: The start, nil for whenever it is started; or how the run ends.
    /// - Throws: Database trouble.
    func plan() throws(StoreError) -> Result<PlannedStart?, PlanRefused> {
        guard let schedule, !isJoining else { return .success(nil) }
        switch try store.plannedStart(schedule) {
        case .unknownZone(let nearest):
            let fault = schedule.unknownZone(nearest: nearest, file: request.fileName)
            return .failure(PlanRefused(end: .campaignRefused(message: fault)))
        case .planned(let start):
            let decision = rule(start).decision(
                nowMicroseconds: start.nowMicroseconds,
                hasBegun: try store.hasBegun(
                    campaign: request.campaign.name, occurrence: request.occurrence))
            guard case .tooEarly(let seconds) = decision else { return .success(start) }
            let text = StartText.tooEarly(request, schedule, start, bySeconds: seconds)
            return .failure(PlanRefused(end: .tooEarly(message: text)))
        }
    }

    /// A run that is not opened.
    struct PlanRefused: Error {
        let end: RunEnd
    }

    private func rule(_ start: PlannedStart?) -> StartRule {
        StartRule(
            plannedMicroseconds: start?.microseconds,
            notLaterThanSeconds: schedule?.notLaterThanSeconds)
    }

    // MARK: - With the run led

    /// Waits until the run may begin, if it has to. Meanwhile the lease keeper keeps the lease and
    /// hears what people ask for.
    ///
    /// - Parameter run: The run, which this worker leads and whose audience is not fixed.
    /// - Returns: Whether it begins; its message expires by the time of its beginning then.
    /// - Throws: Database trouble, or that another worker leads the run by now.
    func wait(_ run: Run) throws(StoreError) -> Outcome {
        guard let schedule else {
            try begun(run, nil, 0)
            return .begins
        }
        let start: PlannedStart
        switch try patience.perform({ () throws(StoreError) in try store.plannedStart(schedule) }) {
        case .unknownZone(let nearest):
            let fault = schedule.unknownZone(nearest: nearest, file: request.fileName)
            _ = try store.leave(run: run, reason: fault, pause: .refused)
            return .ends(.campaignRefused(message: fault))
        case .planned(let planned): start = planned
        }
        if let text = StartText.clockChange(schedule, start) { observer.runDid(.note(text)) }
        var isAnnounced = false
        while true {
            let now = try patience.perform { () throws(StoreError) in
                try store.clockMicroseconds()
            }
            switch rule(start).decision(
                nowMicroseconds: now, hasBegun: false, allowsLate: request.allowsLate)
            {
            case .startNow:
                try begun(run, start, now)
                return .begins
            case .waitUntil(let moment):
                if !isAnnounced { try announce(run, start, moment - now) }
                isAnnounced = true
                if isStopped(leftMicroseconds: moment - now) { return .isStopped }
            case .tooEarly(let seconds), .missed(let seconds):
                return .ends(try missed(run, start, bySeconds: seconds))
            }
        }
    }

    /// Waits, but never so long that a clock that was set would matter.
    private func isStopped(leftMicroseconds: Int64) -> Bool {
        let nap = min(leftMicroseconds * 1000, Self.napNanoseconds)
        let until = request.surroundings.monotonicNanoseconds() + nap
        return stop.wait(untilNanoseconds: until) != nil
    }

    private func announce(
        _ run: Run, _ start: PlannedStart, _ leftMicroseconds: Int64
    ) throws(StoreError) {
        guard let schedule else { return }
        let text = StartText.waiting(schedule, start, seconds: leftMicroseconds / 1_000_000)
        try store.addEvent(run: run, kind: "schedule", text: text)
        observer.runDid(.note(text))
    }

    private func begun(
        _ run: Run, _ start: PlannedStart?, _ now: Int64
    ) throws(StoreError) {
        let isMissed = rule(start).decision(nowMicroseconds: now, hasBegun: false) != .startNow
        if isMissed, let start {
            let text = StartText.sentLate(seconds: (now - start.microseconds) / 1_000_000)
            try store.addEvent(run: run, kind: "schedule", text: text)
            observer.runDid(.note(text))
        }
        try store.setExpiry(
            run: run, afterSeconds: request.campaign.message.expiresAfterSeconds)
    }

    /// Says how late a run goes on that had begun; it does so however late.
    ///
    /// - Parameter run: The run, whose audience is fixed.
    /// - Throws: Database trouble.
    func noteLateness(_ run: Run) throws(StoreError) {
        guard let planned = run.startsAtMicroseconds, let bound = schedule?.notLaterThanSeconds
        else { return }
        let late = (try store.clockMicroseconds() - planned) / 1_000_000
        if late > bound {
            observer.runDid(
                .note(StartText.goesOnLate(seconds: late, run.expiresAtSeconds != nil)))
        }
    }

    private func missed(
        _ run: Run, _ start: PlannedStart, bySeconds seconds: Int64
    ) throws(StoreError) -> RunEnd {
        guard let schedule else { return RunText.closed(run) }
        let reason = StartText.missedReason(schedule, start, bySeconds: seconds)
        try store.setState(run: run, to: .failed, reason: reason, cause: nil)
        _ = try store.leave(run: run, reason: reason, pause: nil)
        return .missed(
            runID: run.id,
            message: StartText.missed(request, schedule, start, bySeconds: seconds))
    }
}
