internal import SendPolicy

/// Which part of a client's connections a loop has.
struct LoopShare: Sendable, Equatable {
    /// From 0.
    let index: Int
    /// How many loops there are.
    let count: Int

    /// The configuration of this loop: its connections, and its part of the pace of opening them.
    func part(of whole: PushClientConfiguration) -> PushClientConfiguration {
        var part = whole
        part.connections = connections(of: whole.connections)
        part.firstPace = pace(whole.firstPace)
        part.steadyPace = pace(whole.steadyPace)
        return part
    }

    /// How many connections of so many are this loop's.
    func connections(of whole: Int) -> Int { (whole - index + count - 1) / count }

    /// The number of the loop's connection at a place from 0; no two loops have the same.
    func number(ofConnection place: Int) -> Int { 1 + index + place * count }

    /// The place of the connection of this number.
    func place(ofConnection number: Int) -> Int { (number - 1 - index) / count }

    /// When the loop's first connection may open: the loops take turns.
    func firstOpening(_ pace: ConnectPace, nowNanoseconds: Int64) -> Int64 {
        nowNanoseconds + pace.spacingNanoseconds / Int64(count) * Int64(index)
    }

    private func pace(_ whole: ConnectPace) -> ConnectPace {
        var part = whole
        part.spacingNanoseconds *= Int64(count)
        part.openingsPerMinuteMax = max(1, whole.openingsPerMinuteMax / count)
        return part
    }
}
