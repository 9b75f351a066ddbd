/// Rules about what a room may import. Package.swift says which rooms a room may see, and the
/// compiler holds that; here is what it cannot hold: which system modules belong where.
enum ImportRules {
    /// What a room is allowed beside the rooms that Package.swift gives it.
    struct Room {
        /// Pure rooms do no I/O: they see other pure rooms and nothing else.
        var isPure = false
        /// The one C library of an edge.
        var library: String?
        /// Modules of the system and the toolchain.
        var systemModules: Set<String> = []
    }

    static let rooms: [String: Room] = [
        "APNSProtocol": Room(isPure: true),
        "CampaignModel": Room(isPure: true),
        "DocumentTree": Room(isPure: true),
        "HeaderCompression": Room(isPure: true),
        "SendPolicy": Room(isPure: true),

        "DocumentText": Room(library: "CFyaml"),
        "HTTP2": Room(library: "CNGHTTP2"),
        "LinuxIO": Room(library: "CLinux", systemModules: ["Glibc", "Synchronization"]),
        "PostgreSQL": Room(library: "CPostgreSQL", systemModules: ["Synchronization"]),
        "TLS": Room(library: "COpenSSL", systemModules: ["Glibc", "Synchronization"]),

        "LocalCluster": Room(systemModules: ["Glibc"]),
        "Wire": Room(),

        "APNSClient": Room(systemModules: ["Synchronization"]),
        "APNSSimulator": Room(systemModules: ["Glibc", "Synchronization"]),
        "CampaignRunner": Room(systemModules: ["Synchronization"]),
        "RunSimulation": Room(),
        "CampaignStore": Room(library: "SQLFiles", systemModules: ["Synchronization"]),

        "CommandLineTool": Room(systemModules: ["FoundationEssentials", "Glibc", "Synchronization"]
        ),
        "sortie": Room(),
        "sortie-bench": Room(systemModules: ["Glibc"]),
        "sortie-crash": Room(systemModules: ["Glibc"]),
        "sortie-simulation": Room(systemModules: ["Glibc"]),
        "sortie-soak": Room(systemModules: ["Glibc", "Synchronization"]),
    ]
    private static let libraries = Set(rooms.values.compactMap(\.library))

    /// Checks one Swift file; those outside `Sources/` may import what they like.
    static func violations(path: String, bytes: [UInt8]) -> [Violation] {
        let parts = path.split(separator: "/").map(String.init)
        guard parts.count > 2, parts[0] == "Sources" else { return [] }
        guard let room = rooms[parts[1]] else {
            let advice = "the room \"\(parts[1])\" has no row in ImportRules; add one"
            return [Violation(path: path, line: 0, advice: advice)]
        }
        return SwiftText(bytes).code.enumerated().compactMap { index, line in
            fault(in: line, room: room).map { Violation(path: path, line: index + 1, advice: $0) }
        }
    }

    private static func fault(in line: String, room: Room) -> String? {
        let words = line.split(separator: " ").map(String.init)
        guard let position = words.firstIndex(of: "import"), position < words.count - 1,
            words[..<position].allSatisfy(isModifier)
        else { return nil }
        let module = String(words[position + 1].prefix { $0 != "." })
        if libraries.contains(module) {
            if room.library != module {
                return "\(module) belongs to another room; ask that room instead"
            }
            return words.first == "internal" ? nil : "write \"internal import \(module)\""
        }
        if let other = rooms[module] {
            return room.isPure && !other.isPure
                ? "a pure room imports \(module), which is not pure; turn the arrow round" : nil
        }
        if room.systemModules.contains(module) { return nil }
        return "\(module) is not used in this room; see ImportRules for what is"
    }

    private static func isModifier(_ word: String) -> Bool {
        ["internal", "package", "private", "fileprivate", "public"].contains(word)
            || word.hasPrefix("@")
    }
}
