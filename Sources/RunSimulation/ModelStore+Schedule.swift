internal import CampaignModel
internal import CampaignRunner
internal import CampaignStore

/// Planned starts: the model knows no time zones, and simulated campaigns have no schedule, so only
/// what every run asks for is modelled.
extension ModelStore {
    func plannedStart(_ schedule: Schedule) throws(StoreError) -> ResolvedSchedule {
        try ask("schedule") { () throws(StoreError) in .unknownZone(nearest: nil) }
    }

    func hasBegun(campaign: String, occurrence: String) throws(StoreError) -> Bool {
        try ask("begun") { () throws(StoreError) in database.tables.run?.isFrozen == true }
    }

    func setExpiry(run: Run, afterSeconds seconds: Int64?) throws(StoreError) {
        let database = database
        try write("expiry") { () throws(StoreError) in
            guard database.tables.run?.isFrozen == false else { return }
            let now = database.now / 1_000_000
            database.tables.run?.expiresAtSeconds = seconds.map { $0 == 0 ? 0 : now + $0 }
        }
    }

    func setPace(run: Run, new: NewRun) throws(StoreError) -> Bool {
        let database = database
        return try write("pace") { () throws(StoreError) in
            guard let known = database.tables.run?.new, known.definitionHash == new.definitionHash,
                known.definition != new.definition
            else { return false }
            database.tables.run?.new.definition = new.definition
            database.tables.run?.new.maxRatePerSecond = new.maxRatePerSecond
            database.tables.run?.new.startsAtMicroseconds = new.startsAtMicroseconds
            return true
        }
    }
}
