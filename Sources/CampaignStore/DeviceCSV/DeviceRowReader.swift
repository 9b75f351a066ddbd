// From a record of a file to a device.

internal import APNSProtocol

/// A device as a row describes it; what is nil the row does not say.
struct DeviceRow: Sendable, Equatable {
    var line: Int32 = 0
    var registeredAtMicroseconds: Int64?
    var app = ""
    var environment = ""
    var token = ""
    var userID: String?
    var deviceKey: String?
    var locale: String?
    var timeZone: String?
    var osVersion: String?
    var model: String?
    var appVersion: String?
    /// A JSON object; nil for none.
    var attributes: [UInt8]?
    var wasCleaned = false
}

/// Reads rows by the rules of the columns.
struct DeviceRowReader: Sendable {
    /// The longest value of a named column. An index entry holds 2,700 bytes at most.
    static let valueBytesMax = 500
    /// The longest attributes of one device.
    static let attributesBytesMax = 65_536
    private static let applePlatforms: Set<String> = [
        "ios", "ipados", "macos", "watchos", "tvos", "visionos", "apple", "apns", "iphone", "ipad",
        "iphone os", "mac", "osx",
    ]
    private static let environments: [String: APNSEnvironment] = [
        "production": .production, "prod": .production, "sandbox": .sandbox,
        "development": .sandbox, "dev": .sandbox,
    ]

    let columns: DeviceColumns
    let defaults: DeviceDefaults

    /// Reads one row.
    func read(_ record: CSVRecord) -> Result<DeviceRow, RejectedRow> {
        var row = DeviceRow()
        row.line = Int32(clamping: record.line)
        row.app = defaults.app ?? ""
        row.environment = defaults.environment?.rawValue ?? ""
        var attributes: [UInt8] = []
        for field in 0..<record.count {
            let range = CellText.trimmed(record.bytes, record.range(field))
            guard field < columns.columns.count else {
                if range.isEmpty { continue }
                return .failure(
                    RejectedRow(
                        line: record.line, column: nil,
                        cause: "the row has more cells than the header"))
            }
            if range.isEmpty { continue }
            if let fault = take(
                record.bytes, range, columns.columns[field], into: &row, &attributes)
            {
                return .failure(
                    RejectedRow(line: record.line, column: columns.names[field], cause: fault))
            }
        }
        if let fault = finish(&row, &attributes) {
            return .failure(RejectedRow(line: record.line, column: fault.0, cause: fault.1))
        }
        return .success(row)
    }

    /// Reads one cell; returns what is wrong with it.
    private func take(
        _ bytes: [UInt8], _ range: Range<Int>, _ column: DeviceColumn, into row: inout DeviceRow,
        _ attributes: inout [UInt8]
    ) -> String? {
        if case .token = column {
            switch DeviceTokenText.normalise(bytes.span.extracting(range)) {
            case .success(let token):
                row.token = token.token
                row.wasCleaned = token.wasCleaned
                return nil
            case .failure(let fault): return fault.description
            }
        }
        guard let text = String(validating: bytes[range], as: UTF8.self) else {
            return "the cell is not valid UTF-8"
        }
        switch column {
        case .token, .unnamed: return nil
        case .app: row.app = text
        case .environment:
            guard let environment = Self.environments[text.lowercased()] else {
                return "the environment is neither production nor sandbox"
            }
            row.environment = environment.rawValue
        case .platform:
            let isApple = Self.applePlatforms.contains(text.lowercased())
            return isApple ? nil : "the platform is not one of Apple's"
        case .registeredAt:
            guard let time = RegistrationTime.microseconds(text.utf8) else {
                return "the time is ambiguous; write 2027-01-31T18:00:00Z, or seconds or "
                    + "milliseconds since 1970"
            }
            row.registeredAtMicroseconds = time
        case .attribute(let name):
            return Self.append(name, text, to: &attributes)
        case .userID: row.userID = text
        case .deviceKey: row.deviceKey = text
        case .locale: row.locale = text
        case .timeZone: row.timeZone = text
        case .osVersion: row.osVersion = text
        case .model: row.model = text
        case .appVersion: row.appVersion = text
        }
        return range.count > Self.valueBytesMax ? "the value is longer than 500 bytes" : nil
    }

    private static func append(
        _ name: String, _ text: String, to attributes: inout [UInt8]
    ) -> String? {
        attributes.append(UInt8(ascii: attributes.isEmpty ? "{" : ","))
        JSONText.appendString(name, to: &attributes)
        attributes.append(UInt8(ascii: ":"))
        JSONText.appendString(text, to: &attributes)
        return attributes.count > attributesBytesMax
            ? "the row's attributes are longer than 65,536 bytes" : nil
    }

    /// Checks what only the whole row can tell; returns the column's name and what is wrong.
    private func finish(
        _ row: inout DeviceRow, _ attributes: inout [UInt8]
    ) -> (String, String)? {
        if row.token.isEmpty { return ("token", DeviceTokenFault.empty.description) }
        let isAppWellFormed =
            (1...255).contains(row.app.utf8.count)
            && row.app.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
        if !isAppWellFormed { return ("app", "the app is not a bundle id") }
        if row.environment.isEmpty { return ("environment", "the environment is missing") }
        if !attributes.isEmpty {
            attributes.append(UInt8(ascii: "}"))
            row.attributes = attributes
        }
        return nil
    }
}
