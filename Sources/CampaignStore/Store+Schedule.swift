// When a planned run is to start, and what its start settles.

package import CampaignModel
internal import PostgreSQL

/// The instant of a planned start.
package struct PlannedStart: Sendable, Equatable {
    /// What the clocks of the zone do at the planned time.
    package enum ClockChange: Sendable, Equatable {
        /// Nothing: they show it once.
        case none
        /// They jump over it; the start is moved by the jump.
        case skips
        /// They show it twice; the start is the second time.
        case repeats
    }

    /// The instant, in microseconds since 1970.
    package let microseconds: Int64
    /// The database's clock when it was asked, in the same unit.
    package let nowMicroseconds: Int64
    /// What the clocks of the zone show at the instant, as `2026-12-05 10:00:00`.
    package let localText: String
    /// The instant in UTC, as `2026-12-05 09:00:00`.
    package let utcText: String
    /// What the clocks of the zone do at the planned time.
    package let clockChange: ClockChange
}

/// What the database makes of a schedule.
package enum ResolvedSchedule: Sendable, Equatable {
    /// It is this instant.
    case planned(PlannedStart)
    /// There is no zone of that name; the nearest one, if one is near.
    case unknownZone(nearest: String?)
}

extension Store {
    /// The instant of a schedule by the server's time zones; neither the host's zone nor a setting
    /// of the database matters.
    ///
    /// - Parameter schedule: What the campaign says.
    /// - Returns: The instant, or that there is no such zone.
    /// - Throws: Only for database trouble.
    package func plannedStart(_ schedule: Schedule) throws(StoreError) -> ResolvedSchedule {
        let zone: (name: PGValue, offset: PGValue) =
            switch schedule.zone {
            case .named(let name): (.text(name), .null)
            case .offset(let seconds): (.null, .integer(Int64(seconds)))
            }
        let row = try run(
            "schedule_instant", [.text(schedule.at.description), zone.name, zone.offset])
        guard let instant = row.integer(0, 0), let now = row.integer(0, 1),
            let local = row.text(0, 2), let utc = row.text(0, 3)
        else {
            let names = row.text(0, 6)?.split(separator: " ").map(String.init) ?? []
            return .unknownZone(
                nearest: ZoneName.nearest(to: schedule.zone.description, among: names))
        }
        let isShown = local.hasPrefix(schedule.at.description)
        let repeats = row.boolean(0, 4) == true
        return .planned(
            PlannedStart(
                microseconds: instant, nowMicroseconds: now, localText: local, utcText: utc,
                clockChange: !isShown ? .skips : repeats ? .repeats : .none))
    }

    /// Whether anything of an occurrence was done before: its audience is fixed. Such a run goes
    /// on, whatever its schedule says.
    ///
    /// - Parameters:
    ///   - campaign: The campaign's name.
    ///   - occurrence: The occurrence's name.
    /// - Returns: False too if there is no such run.
    /// - Throws: Only for database trouble.
    package func hasBegun(campaign: String, occurrence: String) throws(StoreError) -> Bool {
        try run("run_has_begun", [.text(campaign), .text(occurrence)]).boolean(0, 0) == true
    }

    /// Counts the expiry of a run's message from now. For a run that waited for its start, before
    /// its audience is fixed: it was created hours ago. Afterwards nothing is changed.
    ///
    /// - Parameters:
    ///   - run: The run held.
    ///   - seconds: From now until APNs may give the message up; nil leaves it to APNs, 0 is now or
    ///     never.
    /// - Throws: Only for database trouble.
    package func setExpiry(run: Run, afterSeconds seconds: Int64?) throws(StoreError) {
        try self.run("run_set_expiry", [.integer(run.id), .optional(seconds)])
    }

    /// Takes over a campaign file that differs from the run's in its pace only, for the workers
    /// that read it from there: its text, `max_rate` and planned start; and writes that into the
    /// journal.
    ///
    /// - Parameters:
    ///   - run: The run.
    ///   - new: The file as it is now; nothing is changed if the run means something else.
    /// - Returns: Whether it was another text.
    /// - Throws: Only for database trouble.
    @discardableResult
    package func setPace(run: Run, new: NewRun) throws(StoreError) -> Bool {
        let maxRate = new.maxRatePerSecond.map { String($0) }
        let result = try self.run(
            "run_repace",
            [
                .integer(run.id), .text(new.definition), .text(new.definitionHash),
                .optional(maxRate), .optional(new.startsAtMicroseconds),
            ])
        return result.rowCount == 1
    }
}
