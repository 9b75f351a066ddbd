package import DocumentTree

/// When a campaign is to start: a local date and time, and the zone whose clocks show it.
///
/// Which instant that is depends on the rules of the zone, which PostgreSQL knows; see
/// `Store.plannedStart(_:)` of the room `CampaignStore`.
package struct Schedule: Sendable, Equatable, CustomStringConvertible {
    /// Whose clocks show the time.
    package enum Zone: Sendable, Hashable {
        /// A zone of the IANA time zone database, such as `Europe/Budapest`; the form is right,
        /// whether there is one of that name only the database of zones can tell.
        case named(String)
        /// A fixed distance to UTC in seconds, east is positive; 0 is UTC.
        case offset(seconds: Int)
    }

    /// The date and time that the clocks of ``zone`` show at the start.
    package let at: LocalTime
    /// Whose clocks.
    package let zone: Zone
    /// How long after ``at`` the run may still begin, in seconds; nil: at any time.
    package let notLaterThanSeconds: Int64?
    /// Where the zone stands in the file, for an error that only the database can find; the place
    /// of ``at`` if no zone is given.
    package let zonePlace: SourcePlace

    /// A schedule.
    ///
    /// - Parameters:
    ///   - at: what the clocks of the zone show.
    ///   - zone: whose clocks.
    ///   - notLaterThanSeconds: how long after `at` the run may still begin; nil: at any time.
    ///   - zonePlace: where the zone stands in the file.
    package init(
        at: LocalTime, zone: Zone = .offset(seconds: 0), notLaterThanSeconds: Int64? = nil,
        zonePlace: SourcePlace = .start
    ) {
        self.at = at
        self.zone = zone
        self.notLaterThanSeconds = notLaterThanSeconds
        self.zonePlace = zonePlace
    }

    /// As a person reads it: `2026-12-05 10:00 Europe/Budapest`, `2026-12-05 10:00 +01:00`.
    package var description: String { "\(at) \(zone)" }

    /// The error of a zone that the database of zones does not have.
    ///
    /// - Parameters:
    ///   - nearest: a zone that may have been meant; nil: none is near.
    ///   - file: the file as the user named it.
    /// - Returns: the error as one line, with the place of the zone.
    package func unknownZone(nearest: String?, file: String) -> String {
        let advice =
            nearest.map { "did you mean \($0)?" }
            ?? "write a region and a city, such as Europe/Budapest"
        let error = Diagnostic(
            file: file, place: zonePlace, fieldPath: "schedule.zone",
            message: "there is no time zone \(ShownText.quoted("\(zone)")); \(advice)")
        return error.description
    }
}

extension Schedule.Zone: CustomStringConvertible {
    /// The name, or the offset as `+01:00`; `UTC` for none.
    package var description: String {
        switch self {
        case .named(let name): return name
        case .offset(0): return "UTC"
        case .offset(let seconds):
            let minutes = abs(seconds) / 60
            return (seconds < 0 ? "-" : "+") + LocalTime.digits(minutes / 60, 2) + ":"
                + LocalTime.digits(minutes % 60, 2)
        }
    }
}

extension Campaign {
    /// The name of an execution for which the operator gives none: the date of the schedule, so
    /// that a start that waits over midnight, or comes late, is the same execution; without a
    /// schedule the day of the start.
    ///
    /// - Parameter today: the day of the start in UTC, as `2026-12-05`.
    /// - Returns: the occurrence.
    package func usualOccurrence(today: String) -> String {
        schedule?.at.day ?? today
    }
}
