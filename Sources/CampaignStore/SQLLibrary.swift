// The SQL files inside the program.

internal import PostgreSQL
internal import SQLFiles

/// One migration of the schema.
struct Migration: Sendable {
    /// The number in the file's name: 1 for `V0001_tables`.
    let version: Int
    /// The file's name without ending.
    let name: String
    /// Its statements.
    let sql: String

    /// FNV-1a of the text, in hex: enough to notice an edit, which is all it is for.
    var checksum: String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in sql.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// The embedded files of `SQL/`.
enum SQLLibrary {
    /// The migrations in the order in which they are applied.
    static let migrations: [Migration] = unsafe read(sql_migration).map { name, sql in
        guard let version = Int(name.dropFirst().prefix { $0 != "_" }) else {
            preconditionFailure("a migration's file name begins with V and its number: \(name)")
        }
        return Migration(version: version, name: name, sql: sql)
    }

    /// Every statement by its name.
    static let statements: [String: String] =
        Dictionary(unsafe read(sql_statement)) { first, _ in first }

    /// The statement of that name; a name that does not exist is a mistake in this program.
    static func statement(_ name: String) -> PGStatement {
        guard let sql = statements[name] else {
            preconditionFailure("there is no SQL/statements/\(name).sql")
        }
        return PGStatement(name: name, sql: sql)
    }

    /// A statement's text with `{placeholder}`s replaced, for names and expressions that can't be
    /// parameters. The comment at its head, which names the placeholders, is left out: a
    /// replacement of several lines would reach beyond it.
    static func text(_ name: String, _ replacements: [(String, String)]) -> String {
        var sql = body(of: statement(name))
        for (placeholder, replacement) in replacements {
            sql = replacing("{\(placeholder)}", in: sql, with: replacement)
        }
        return sql
    }

    /// A statement without the comment at its head.
    static func body(of statement: PGStatement) -> String {
        statement.sql.split(separator: "\n", omittingEmptySubsequences: false)
            .drop { $0.hasPrefix("--") }
            .joined(separator: "\n")
    }

    /// The text with every occurrence of `placeholder` replaced.
    static func replacing(
        _ placeholder: String, in text: String, with replacement: String
    ) -> String {
        let (text, placeholder) = (Array(text.utf8), Array(placeholder.utf8))
        var result: [UInt8] = []
        var index = 0
        while index < text.count {
            if text[index...].starts(with: placeholder) {
                result.append(contentsOf: replacement.utf8)
                index += placeholder.count
            } else {
                result.append(text[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    @unsafe
    private static func read(
        _ file: (UInt) -> UnsafePointer<sql_file>?
    ) -> [(String, String)] {
        var files: [(String, String)] = []
        var index: UInt = 0
        // Sound: the array is constant data of the program, with correct counts by construction.
        while let next = unsafe file(index)?.pointee {
            let bytes = unsafe UnsafeBufferPointer(start: next.bytes, count: Int(next.count))
            files.append(
                (unsafe String(cString: next.name), unsafe String(decoding: bytes, as: UTF8.self)))
            index += 1
        }
        return files
    }
}
