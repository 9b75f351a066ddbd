/// Names of time zones: which forms a file may use, and which name was meant.
package enum ZoneName {
    /// What is wrong with a name, as the rest of a sentence that begins with it; nil: the form is
    /// right.
    ///
    /// - Parameter name: as written.
    /// - Returns: what it is and what to write instead.
    static func fault(in name: String) -> String? {
        if isUTC(name) { return nil }
        if let city = abbreviations[name.uppercased()] {
            return "is an abbreviation, and those mean different times in different countries; "
                + "write a region and a city, such as \(city)"
        }
        let isOffset = LocalTimeText("2000-01-01T00:00" + name)?.offsetSeconds != nil
        if isOffset {
            return "is an offset, not a zone; write it behind the time, as in "
                + "at: \"2026-12-05T10:00\(name)\", and remove the zone"
        }
        if name.lowercased().hasPrefix("etc/gmt"), name.utf8.count > 7 {
            return "counts hours the other way round (Etc/GMT-1 is an hour east); write an offset "
                + "behind the time, such as +01:00, and remove the zone"
        }
        guard hasForm(name) else {
            return "is no name of a time zone; write a region and a city, such as Europe/Budapest, "
                + "or UTC"
        }
        return nil
    }

    /// Whether a name is that of the world's own time.
    static func isUTC(_ name: String) -> Bool {
        ["utc", "etc/utc"].contains(name.lowercased())
    }

    /// The zone that was most likely meant.
    ///
    /// - Parameters:
    ///   - name: a name that no zone has.
    ///   - names: the names of all zones.
    /// - Returns: the zone of the same city, else the nearest name; nil when nothing is near.
    package static func nearest(to name: String, among names: [String]) -> String? {
        let city = city(name)
        if let same = names.first(where: { self.city($0) == city }) { return same }
        let near = EditDistance.nearest(to: name, among: names.map { $0.lowercased() })
        return names.first { $0.lowercased() == near }
    }

    private static func city(_ name: String) -> String {
        name.split(separator: "/").last.map { $0.lowercased() } ?? ""
    }

    /// The longest name in bytes; the longest zone there is has 32.
    private static let bytesMax = 64

    /// Region and city of letters, digits, `_`, `-` and `+`.
    private static func hasForm(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        return (2...3).contains(parts.count) && name.utf8.count <= bytesMax
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.utf8.allSatisfy { byte in
                        switch byte {
                        case UInt8(ascii: "a")...UInt8(ascii: "z"),
                            UInt8(ascii: "A")...UInt8(ascii: "Z"),
                            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"),
                            UInt8(ascii: "-"), UInt8(ascii: "+"):
                            true
                        default: false
                        }
                    }
            }
    }

    /// Abbreviations that people write, each with a place that may be meant.
    private static let abbreviations = [
        "GMT": "Europe/London, or UTC", "WET": "Europe/Lisbon", "WEST": "Europe/Lisbon",
        "BST": "Europe/London", "CET": "Europe/Budapest", "CEST": "Europe/Budapest",
        "MEZ": "Europe/Berlin", "MESZ": "Europe/Berlin", "EET": "Europe/Athens",
        "EEST": "Europe/Athens", "MSK": "Europe/Moscow",
        "IST": "Asia/Kolkata, Europe/Dublin or Asia/Jerusalem", "WIB": "Asia/Jakarta",
        "JST": "Asia/Tokyo", "KST": "Asia/Seoul", "AEST": "Australia/Sydney",
        "AEDT": "Australia/Sydney", "EST": "America/New_York", "EDT": "America/New_York",
        "ET": "America/New_York", "CST": "America/Chicago or Asia/Shanghai",
        "CDT": "America/Chicago", "CT": "America/Chicago", "MST": "America/Denver",
        "MDT": "America/Denver", "MT": "America/Denver", "PST": "America/Los_Angeles",
        "PDT": "America/Los_Angeles", "PT": "America/Los_Angeles", "BRT": "America/Sao_Paulo",
    ]
}
