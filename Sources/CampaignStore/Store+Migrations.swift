// Bringing the schema up to date.

internal import PostgreSQL

extension Store {
    /// Applies the migrations that the database lacks, each in a transaction of its own; safe to
    /// call from several processes at once.
    ///
    /// - Returns: The names of the migrations applied now.
    /// - Throws: ``StoreError/schemaMismatch(_:)`` if the database is newer than this program or
    ///   an applied migration's text has changed since.
    @discardableResult
    package func migrate() throws(StoreError) -> [String] {
        var applied: [String] = []
        for migration in SQLLibrary.migrations {
            let isNew = try connection.withTransaction { () throws(StoreError) in
                try lockAndCreateMigrationTable()
                return try apply(migration)
            }
            if isNew { applied.append(migration.name) }
        }
        return applied
    }

    /// Checks that the database has exactly this program's schema.
    ///
    /// - Throws: ``StoreError/schemaMismatch(_:)`` with what to do about it.
    package func requireCurrentSchema() throws(StoreError) {
        guard try run("migration_table_exists").boolean(0, 0) == true else {
            throw .schemaMismatch(
                "the database has no sortie schema yet; run \"sortie database migrate\"")
        }
        let known = try knownMigrations()
        try refuseNewer(known)
        for migration in SQLLibrary.migrations where !(try isApplied(migration, known)) {
            throw .schemaMismatch(
                "the database lacks the migration \(migration.name); run "
                    + "\"sortie database migrate\"")
        }
    }

    private func lockAndCreateMigrationTable() throws(StoreError) {
        let sql = SQLLibrary.statement("migration_lock").sql
        try Self.mapping { () throws(PGError) in
            _ = try connection.executeScript(sql, name: "migration_lock")
        }
    }

    private func apply(_ migration: Migration) throws(StoreError) -> Bool {
        let known = try knownMigrations()
        try refuseNewer(known)
        if try isApplied(migration, known) { return false }
        try Self.mapping { () throws(PGError) in
            _ = try connection.executeScript(migration.sql, name: migration.name)
        }
        try run(
            "migration_record",
            [.integer(Int64(migration.version)), .text(migration.name), .text(migration.checksum)])
        return true
    }

    private func knownMigrations() throws(StoreError) -> [(version: Int, checksum: String)] {
        let result = try run("migration_list")
        return (0..<result.rowCount).map { row in
            (Int(result.integer(row, 0) ?? 0), result.text(row, 1) ?? "")
        }
    }

    private func refuseNewer(_ known: [(version: Int, checksum: String)]) throws(StoreError) {
        let newest = SQLLibrary.migrations.last?.version ?? 0
        guard let newer = known.map(\.version).max(), newer > newest else { return }
        throw .schemaMismatch(
            "the database is at migration \(newer) and this program knows only \(newest); use a "
                + "newer sortie")
    }

    private func isApplied(
        _ migration: Migration, _ known: [(version: Int, checksum: String)]
    ) throws(StoreError) -> Bool {
        guard let entry = known.first(where: { $0.version == migration.version }) else {
            return false
        }
        guard entry.checksum == migration.checksum else {
            throw .schemaMismatch(
                "migration \(migration.name) was applied with another text than this program "
                    + "has; the database was made by a different build of sortie")
        }
        return true
    }
}
