// Importing devices from a file.

internal import APNSProtocol
internal import PostgreSQL

extension Store {
    /// Imports devices from CSV: all of the file's good rows in one transaction, or nothing.
    ///
    /// Rows that can't be used are left out and counted; a file that can't be read as a whole is
    /// refused. Two imports at once wait for each other. Memory is bounded.
    ///
    /// - Parameters:
    ///   - defaults: App and environment for a file without such columns.
    ///   - nextPiece: The next bytes of the file, in pieces of any size; nil at its end. Failures
    ///     of reading are thrown as ``StoreError/source(_:)``.
    /// - Returns: The counts.
    /// - Throws: ``StoreError/importRefused(_:)`` with what is wrong with the file; nothing is
    ///   changed then.
    package func importDevices(
        defaults: DeviceDefaults = DeviceDefaults(),
        _ nextPiece: () throws(StoreError) -> [UInt8]?
    ) throws(StoreError) -> ImportSummary {
        let summary = try connection.withTransaction { () throws(StoreError) in
            try run("import_begin")
            var summary = try stageRows(defaults, nextPiece)
            if summary.rowsRead == 0 {
                throw .importRefused("the file has a header and no rows")
            }
            try mergeStagedRows(&summary)
            return summary
        }
        if summary.new + summary.updated > 1000 { try run("device_analyze") }
        return summary
    }

    private func stageRows(
        _ defaults: DeviceDefaults, _ nextPiece: () throws(StoreError) -> [UInt8]?
    ) throws(StoreError) -> ImportSummary {
        var summary = ImportSummary()
        var reader: DeviceRowReader?
        let sql = SQLLibrary.statement("import_copy").sql
        try connection.copyIn(sql, name: "import_copy") {
            (writer, flushIfFull) throws(StoreError) in
            var csv = CSVReader()
            func take(_ record: CSVRecord) throws(StoreError) {
                guard let rows = reader else {
                    let columns = try DeviceColumns(header: record, defaults: defaults)
                    reader = DeviceRowReader(columns: columns, defaults: defaults)
                    return
                }
                summary.stage(rows.read(record), in: writer)
                try flushIfFull()
            }
            while let piece = try nextPiece() { try csv.read(piece, take) }
            try csv.finish(take)
        }
        if reader == nil { throw .importRefused("the file is empty") }
        return summary
    }

    /// Brings the staged rows into the table. If that meets a deadlock with an app's registrations
    /// it is done again with the table to itself, and without reading the file again.
    private func mergeStagedRows(_ summary: inout ImportSummary) throws(StoreError) {
        try run("device_bulk_lock")
        let different = try run("import_latest").affectedRows
        try run("import_analyze")
        let staged = summary.rowsRead - summary.rejected
        summary.duplicates = staged - different
        var attempt = 1
        while true {
            try script("SAVEPOINT merge")
            do throws(StoreError) {
                summary.revived = try run("import_revive").affectedRows
                let merged = try run("import_merge")
                summary.new = Int(merged.integer(0, 0) ?? 0)
                summary.updated = Int(merged.integer(0, 1) ?? 0)
                summary.unchanged = different - summary.new - summary.updated
                return
            } catch {
                guard error.passesAtOnce, attempt < 5 else { throw error }
                attempt += 1
                try script("ROLLBACK TO SAVEPOINT merge")
                try run("device_table_lock")
            }
        }
    }

    private func script(_ sql: String) throws(StoreError) {
        try Self.mapping { () throws(PGError) in
            _ = try connection.executeScript(sql, name: sql)
        }
    }
}

extension ImportSummary {
    /// Counts a row and writes it, if it is a good one, in the column order of import_copy.
    fileprivate mutating func stage(
        _ result: Result<DeviceRow, RejectedRow>, in writer: BinaryCopyWriter
    ) {
        rowsRead += 1
        switch result {
        case .failure(let row): reject(row)
        case .success(let row):
            if row.wasCleaned { cleaned += 1 }
            if row.token.utf8.count != APNSLimits.tokenDigitsUsual { unusualLength += 1 }
            row.write(to: writer)
        }
    }
}

extension DeviceRow {
    fileprivate func write(to writer: BinaryCopyWriter) {
        let texts: [String?] = [
            app, environment, token, userID, deviceKey, locale, timeZone, osVersion, model,
            appVersion,
        ]
        let textBytes = texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
        writer.beginRow(
            fieldCount: 3 + texts.count, bytesMax: 16 + textBytes + (attributes?.count ?? 0) + 1)
        writer.int32(line)
        if let registeredAtMicroseconds {
            writer.timestamp(registeredAtMicroseconds)
        } else {
            writer.null()
        }
        for text in texts {
            if let text { writer.text(text) } else { writer.null() }
        }
        if let attributes { writer.jsonb(attributes.span) } else { writer.null() }
    }
}
