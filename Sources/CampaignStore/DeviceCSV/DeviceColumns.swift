// What the columns of a file of devices mean.

package import APNSProtocol

/// The meaning of a column.
enum DeviceColumn: Hashable, Sendable {
    case token, app, environment, userID, deviceKey, locale, timeZone, osVersion, model
    case appVersion, registeredAt, platform
    /// Any other name: a key of the device's attributes.
    case attribute(String)
    /// A column without a name, as a trailing separator makes.
    case unnamed

    /// The names by which a column is known, in lower case with underscores; the first is the one
    /// shown to people.
    static let names: [(DeviceColumn, [String])] = [
        (.token, ["token", "device_token", "devicetoken", "push_token", "apns_token"]),
        (.app, ["app", "bundle_id", "topic", "bundle"]),
        (.environment, ["environment", "apns_environment", "env"]),
        (.userID, ["user_id", "userid", "user"]),
        (.deviceKey, ["device_key", "device_id", "installation_id"]),
        (.locale, ["locale", "language"]),
        (.timeZone, ["time_zone", "timezone", "tz"]),
        (.osVersion, ["os_version"]),
        (.model, ["model", "device_model"]),
        (.appVersion, ["app_version"]),
        (.registeredAt, ["registered_at", "last_registered_at"]),
        (.platform, ["platform", "os"]),
    ]

    init(header: String) {
        let plain = String(
            header.lowercased().map { $0 == "-" || $0 == " " ? "_" : $0 })
        if plain.isEmpty {
            self = .unnamed
        } else if let known = Self.names.first(where: { $0.1.contains(plain) }) {
            self = known.0
        } else {
            self = .attribute(header)
        }
    }
}

/// What to take for a file that has no column of it.
package struct DeviceDefaults: Sendable, Equatable {
    /// Bundle id.
    package var app: String?
    /// Environment.
    package var environment: APNSEnvironment?

    /// Creates the defaults.
    package init(app: String? = nil, environment: APNSEnvironment? = nil) {
        self.app = app
        self.environment = environment
    }
}

/// The columns of a file, from its header.
struct DeviceColumns: Sendable {
    let columns: [DeviceColumn]
    /// The header's names, trimmed, for messages.
    let names: [String]

    /// Reads the header.
    ///
    /// - Throws: ``StoreError/importRefused(_:)`` that lists the columns found and the names that
    ///   would do.
    init(header: CSVRecord, defaults: DeviceDefaults) throws(StoreError) {
        names = (0..<header.count).map { CellText.trimmed(header.text($0)) }
        columns = names.map(DeviceColumn.init(header:))
        var seen: Set<DeviceColumn> = []
        for (index, column) in columns.enumerated() where column != .unnamed {
            guard seen.insert(column).inserted else {
                throw .importRefused(
                    "the column \(Self.quoted(names[index])) is there twice; \(found)")
            }
        }
        try require(.token, "a column for the token", option: nil)
        if defaults.app == nil { try require(.app, "a column for the app", option: "--app") }
        if defaults.environment == nil {
            try require(.environment, "a column for the environment", option: "--environment")
        }
    }

    private func require(
        _ column: DeviceColumn, _ what: String, option: String?
    ) throws(StoreError) {
        guard !columns.contains(column) else { return }
        let accepted = DeviceColumn.names.first { $0.0 == column }?.1 ?? []
        throw .importRefused(
            "the header has no \(what); \(found). Accepted names: "
                + accepted.joined(separator: ", ")
                + (option.map { ". Or give \($0) for the whole file" } ?? ""))
    }

    private var found: String {
        "columns found: " + names.map(Self.quoted).joined(separator: ", ")
    }

    /// A name with everything that can't be seen written as its code.
    static func quoted(_ name: String) -> String {
        var text = "\""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"", "\\": text += "\\\(scalar)"
            case " "..."~": text.unicodeScalars.append(scalar)
            default:
                let isLetter = scalar.properties.isAlphabetic
                text += isLetter ? "\(scalar)" : "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return text + "\""
    }
}

/// The text inside a cell.
enum CellText {
    /// Without the blanks around it: spaces, tabs, line ends, no-break spaces.
    static func trimmed(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return String(decoding: bytes[trimmed(bytes, 0..<bytes.count)], as: UTF8.self)
    }

    /// The part of a range without the blanks around it.
    static func trimmed(_ bytes: [UInt8], _ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end {
            let blank = blankBytes(bytes, at: start, before: end)
            if blank == 0 { break }
            start += blank
        }
        while end > start {
            if isASCIIBlank(bytes[end - 1]) {
                end -= 1
            } else if end - start >= 2, blankBytes(bytes, at: end - 2, before: end) == 2 {
                end -= 2
            } else {
                break
            }
        }
        return start..<end
    }

    private static func isASCIIBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    /// How many bytes of blank are at a place; U+00A0 has two.
    private static func blankBytes(_ bytes: [UInt8], at index: Int, before end: Int) -> Int {
        if isASCIIBlank(bytes[index]) { return 1 }
        return bytes[index] == 0xC2 && index + 1 < end && bytes[index + 1] == 0xA0 ? 2 : 0
    }
}
