internal import CampaignModel
internal import CampaignStore

/// The sentences about planned starts.
enum StartText {
    static func waiting(_ schedule: Schedule, _ start: PlannedStart, seconds: Int64) -> String {
        "Planned for \(moment(schedule, start)), in \(span(seconds)): waiting. Nothing is sent "
            + "before; stop it, and the same command waits again."
    }

    static func tooEarly(
        _ request: RunRequest, _ schedule: Schedule, _ start: PlannedStart,
        bySeconds seconds: Int64
    ) -> String {
        "\(request.campaign.name), occurrence \(request.occurrence), is planned for "
            + "\(moment(schedule, start)), in \(span(seconds)); a start waits for a day at most. "
            + "Nothing was sent or recorded. Start it again within a day of that time, or change "
            + "schedule.at in the campaign file."
    }

    static func missed(
        _ request: RunRequest, _ schedule: Schedule, _ start: PlannedStart,
        bySeconds seconds: Int64
    ) -> String {
        "\(request.campaign.name), occurrence \(request.occurrence), has missed its start: it was "
            + "planned for \(moment(schedule, start)), \(span(seconds)) ago, and not later than "
            + "\(span(schedule.notLaterThanSeconds ?? 0)) after that. Nothing was sent. To send it "
            + "all the same, add --late."
    }

    /// The reason kept with the run.
    static func missedReason(
        _ schedule: Schedule, _ start: PlannedStart, bySeconds seconds: Int64
    ) -> String {
        "missed its start: planned for \(moment(schedule, start)), started \(span(seconds)) later"
    }

    static func sentLate(seconds: Int64) -> String {
        "It begins \(span(seconds)) after its planned start, because of --late."
    }

    static func goesOnLate(seconds: Int64, _ expires: Bool) -> String {
        let fate =
            expires
            ? "Messages are worth sending until they expire; who is reached too late is skipped."
            : "Its message has no expires_after, so everybody who is left gets it."
        return "This run had begun, so it goes on, \(span(seconds)) after its planned start. "
            + fate
    }

    static let stopped =
        "Stopped while it waited for its planned start; nothing was sent. Run the same command "
        + "again to wait again."

    /// What the clocks do at the planned time, if it is odd.
    static func clockChange(_ schedule: Schedule, _ start: PlannedStart) -> String? {
        switch start.clockChange {
        case .none: nil
        case .skips:
            "The clocks of \(schedule.zone) jump over \(schedule.at): it is planned for "
                + "\(start.localText) there (\(start.utcText) UTC)."
        case .repeats:
            "The clocks of \(schedule.zone) show \(schedule.at) twice: it is planned for the "
                + "second time (\(start.utcText) UTC)."
        }
    }

    private static func moment(_ schedule: Schedule, _ start: PlannedStart) -> String {
        let isUTC = schedule.zone == .offset(seconds: 0)
        return isUTC ? "\(schedule)" : "\(schedule) (\(start.utcText) UTC)"
    }

    /// A length of time in its two largest units: `2 d 3 h`, `3 h 20 min`, `5 s`.
    static func span(_ seconds: Int64) -> String {
        let units: [(String, Int64)] = [("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)]
        guard let first = units.firstIndex(where: { seconds >= $0.1 }) else { return "0 s" }
        let (name, length) = units[first]
        var text = "\(seconds / length) \(name)"
        if first + 1 < units.count {
            let (nextName, nextLength) = units[first + 1]
            let rest = seconds % length / nextLength
            if rest > 0 { text += " \(rest) \(nextName)" }
        }
        return text
    }
}
