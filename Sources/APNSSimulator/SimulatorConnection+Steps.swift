internal import HTTP2
internal import LinuxIO
internal import Wire

// What a connection does of itself, at once or by the clock.
extension SimulatorConnection {
    /// How often a flood sends its next portion, in nanoseconds: 5 ms.
    private static let portionNanoseconds: Int64 = 5_000_000

    /// Does a step.
    ///
    /// - Parameters:
    ///   - step: What to do.
    ///   - streamID: The stream of the request that set it off; nil: none did.
    func perform(_ step: ConnectionStep, streamID: Int32? = nil) {
        switch step {
        case .none: break
        case .streamLimit(let limit): announce(limit)
        case .goAway(let lastStreamID, let errorCode, let debugData):
            goAway(lastStreamID, errorCode, debugData)
        case .farewell(let farewell): begin(farewell, streamID: streamID)
        case .drop:
            lastStreamIDTaken = 0
            worker.dropAfterTurn(self)
        case .stopReading(let nanoseconds):
            wire?.pauseReading(true)
            readsAgainNanoseconds = nanoseconds.map { MonotonicClock.nanoseconds() + $0 }
        case .stopAnswering(let nanoseconds):
            answersAgainNanoseconds =
                nanoseconds.map { MonotonicClock.nanoseconds() + $0 } ?? .max
        case .flood(let flood):
            self.flood = RunningFlood(flood, nowNanoseconds: MonotonicClock.nanoseconds())
        case .closeHalf: worker.closeHalfAfterTurn(self)
        case .all(let steps):
            for step in steps { perform(step, streamID: streamID) }
        }
    }

    private func announce(_ limit: UInt32) {
        streamLimit = limit
        wire?.http2.setMaxConcurrentStreams(limit)
    }

    // MARK: - GOAWAY

    private func begin(_ farewell: ConnectionFarewell, streamID: Int32?) {
        guard let notice = farewell.noticeNanoseconds else { return end(farewell, streamID) }
        wire?.http2.shutDownNotice()
        pendingFarewell = (farewell, streamID, MonotonicClock.nanoseconds() + notice)
    }

    private func end(_ farewell: ConnectionFarewell, _ streamID: Int32?) {
        let last: Int32? =
            switch farewell.last {
            case .all: nil
            case .none: 0
            case .this: streamID
            case .half: middleOfOpenStreams
            }
        goAway(last, farewell.errorCode, farewell.debugData)
    }

    private func goAway(_ lastStreamID: Int32?, _ errorCode: UInt32, _ debugData: [UInt8]) {
        guard let http2 = wire?.http2 else { return }
        let last = http2.goAway(
            lastStreamID: lastStreamID, errorCode: errorCode, debugData: debugData)
        lastStreamIDTaken = min(lastStreamIDTaken, last)
    }

    /// The highest stream of the lower half of those open; nil: none is open.
    private var middleOfOpenStreams: Int32? {
        var open: [Int32] = []
        for index in 0..<slots.count where slots[index].isOpen {
            open.append(slots[index].streamID)
        }
        open.sort()
        return open.isEmpty ? nil : open[(open.count - 1) / 2]
    }

    // MARK: - By the clock

    /// When `turn(nowNanoseconds:)` has something to do; nil: never.
    var nextNanoseconds: Int64? {
        let moments = [
            behaviour.nextNanoseconds, readsAgainNanoseconds, pendingFarewell?.dueNanoseconds,
            flood?.nextNanoseconds,
        ]
        return moments.compactMap { $0 }.min()
    }

    /// Does what is due by the clock, and sends it.
    func turn(nowNanoseconds now: Int64) {
        guard isOpen, let next = nextNanoseconds, next <= now else { return }
        if let moment = behaviour.nextNanoseconds, moment <= now {
            perform(behaviour.step(nowNanoseconds: now))
        }
        if let moment = readsAgainNanoseconds, moment <= now {
            readsAgainNanoseconds = nil
            wire?.pauseReading(false)
        }
        if let pending = pendingFarewell, pending.dueNanoseconds <= now {
            pendingFarewell = nil
            end(pending.step, pending.streamID)
        }
        sendFlood(nowNanoseconds: now)
        wire?.flush()
    }

    private func sendFlood(nowNanoseconds now: Int64) {
        guard var running = flood, let wire else { return }
        // Frames that the client does not take would pile up here, not there.
        let count = wire.isWritePending ? 0 : running.portion(nowNanoseconds: now)
        running.nextNanoseconds = now + Self.portionNanoseconds
        flood = running.isOver(nowNanoseconds: now) ? nil : running
        for _ in 0..<count {
            switch running.flood.frame {
            case .ping: wire.http2.ping()
            case .settings: wire.http2.setMaxConcurrentStreams(streamLimit)
            }
        }
    }
}

/// A flood under way: how many frames are due.
struct RunningFlood {
    let flood: ConnectionFlood
    private let startNanoseconds: Int64
    private var lastNanoseconds: Int64
    private var rest: Double = 0
    /// When the next portion is due.
    var nextNanoseconds: Int64

    init(_ flood: ConnectionFlood, nowNanoseconds: Int64) {
        self.flood = flood
        startNanoseconds = nowNanoseconds
        lastNanoseconds = nowNanoseconds
        nextNanoseconds = nowNanoseconds
    }

    /// Takes the frames that are due since the last time.
    mutating func portion(nowNanoseconds: Int64) -> Int {
        // A flood may begin within a turn whose time was read before.
        guard nowNanoseconds > lastNanoseconds else { return 0 }
        rest += Double(nowNanoseconds - lastNanoseconds) * Double(flood.perSecond) / 1e9
        lastNanoseconds = nowNanoseconds
        let whole = rest.rounded(.down)
        rest -= whole
        return Int(whole)
    }

    /// Whether its time is over.
    func isOver(nowNanoseconds: Int64) -> Bool {
        flood.nanoseconds.map { nowNanoseconds - startNanoseconds >= $0 } ?? false
    }
}
