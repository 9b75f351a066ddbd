internal import LinuxIO

/// This machine's clock beside the server's.
extension PushLoop {
    /// A difference that answers under way and rounding can't explain.
    private static let clockDifferenceSecondsMax: Int64 = 60

    /// Says so if the server's clock, from an answer's `date`, is far from this machine's: a wrong
    /// one makes provider tokens that APNs calls expired or invalid.
    func compareClock(_ connection: PushConnection, _ serverSeconds: Int64) {
        let ahead = WallClock.microseconds() / 1_000_000 - serverSeconds
        guard abs(ahead) > Self.clockDifferenceSecondsMax else { return }
        let side = ahead > 0 ? "ahead of" : "behind"
        note(
            .clock, connection,
            "this machine's clock is \(abs(ahead)) s \(side) the server's; set it")
    }
}
