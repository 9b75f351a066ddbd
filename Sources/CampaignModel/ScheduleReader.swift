internal import DocumentTree

/// Reads when a campaign is to start: `schedule`.
enum ScheduleReader {
    private static let example = "2026-12-05T10:00"

    /// The schedule.
    ///
    /// - Parameter section: nil when the file has none.
    /// - Returns: nil when there is none, or none that is usable.
    static func schedule(_ section: FieldSection?) -> Schedule? {
        guard let section else { return nil }
        section.checkNames()
        let start = section.required("at", example: example)
        let at = start.flatMap(moment)
        let zone = section["zone"]
        if let zone, let offset = at?.offsetText, !offset.isEmpty {
            zone.fail(
                "\"at\" says \(ShownText.quoted(offset)) already; remove the zone, or write the "
                    + "time without it")
        }
        let name = zone.flatMap(name)
        let bound = section["not_later_than"]?
            .duration(in: CampaignLimits.notLaterThan, unit: CampaignLimits.second)
        guard let start, let at else { return nil }
        return Schedule(
            at: at.time, zone: name ?? .offset(seconds: at.offsetSeconds ?? 0),
            notLaterThanSeconds: bound.map { $0 / CampaignLimits.second },
            zonePlace: (zone ?? start).node.place)
    }

    private struct Moment {
        let time: LocalTime
        let offsetSeconds: Int?
        let offsetText: String
    }

    private static func moment(_ value: FieldValue) -> Moment? {
        let wanted = "a date and time such as \(example)"
        guard let text = value.scalarText(wanted) else { return nil }
        guard let parts = LocalTimeText(text) else {
            failForm(value, text, wanted)
            return nil
        }
        let numbers = parts.numbers
        guard
            let time = LocalTime(
                year: numbers[0], month: numbers[1], dayOfMonth: numbers[2], hour: numbers[3],
                minute: numbers[4], second: numbers[5])
        else {
            failCalendar(value, numbers)
            return nil
        }
        return Moment(
            time: time, offsetSeconds: parts.offsetSeconds, offsetText: parts.offsetText)
    }

    /// Says why a text is no date and time: most often a part of it is missing.
    private static func failForm(_ value: FieldValue, _ text: String, _ wanted: String) {
        let isNumber = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        if isNumber, text.utf8.count >= 10 {
            value.fail(
                "found \(value.shown), which looks like seconds since 1970; write \(wanted)")
        } else if LocalTimeText(text + "T00:00") != nil {
            value.fail("found \(value.shown) without a time of day; write \(text)T10:00")
        } else {
            value.failKind(wanted)
        }
    }

    private static func failCalendar(_ value: FieldValue, _ numbers: [Int]) {
        let years = LocalTime.years
        if !years.contains(numbers[0]) {
            value.fail(
                "found \(value.shown); write a year from \(years.lowerBound) to "
                    + "\(years.upperBound)")
        } else if numbers[3] == 24 {
            value.fail("there is no 24 o'clock; midnight is 00:00 of the next day")
        } else {
            value.fail("there is no such day or time as \(value.shown)")
        }
    }

    private static func name(_ value: FieldValue) -> Schedule.Zone? {
        guard let name = value.text() else { return nil }
        if let fault = ZoneName.fault(in: name) {
            value.fail("\(value.shown) \(fault)")
            return nil
        }
        return ZoneName.isUTC(name) ? .offset(seconds: 0) : .named(name)
    }
}
