// swift-tools-version: 6.2
// The rooms of the house and the arrows between them: see docs/architecture.md.
// Arrows point down only; `--explicit-target-dependency-import-check error` makes the compiler hold
// them.
import PackageDescription

/// Tests poke at C pointers and temporary files, so they keep every rule but strict memory safety.
let testSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let settings: [SwiftSetting] = testSettings + [.strictMemorySafety()]

func room(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: testSettings)
}

let package = Package(
    name: "sortie",
    products: [
        .executable(name: "sortie", targets: ["sortie"]),
        // Loaded before a program by the benchmark, to count its calls.
        .library(name: "CallCounter", type: .dynamic, targets: ["CallCounter"]),
    ],
    targets: [
        // C libraries: a module map and a shim header each, nothing else.
        .systemLibrary(name: "CLinux"),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CNGHTTP2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
        .systemLibrary(name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CFyaml", pkgConfig: "libfyaml", providers: [.apt(["libfyaml-dev"])]),
        // Every statement and migration of SQL/, embedded into the program.
        .target(
            name: "SQLFiles", path: "SQL", exclude: ["README.md", "migrations", "statements"],
            sources: ["embed.c"], publicHeadersPath: "include"),

        // Pure rooms: no I/O, no clock, no Foundation, no pointers in their API.
        room("DocumentTree"),
        room("APNSProtocol"),
        room("SendPolicy"),
        room("HeaderCompression"),
        room("CampaignModel", ["APNSProtocol", "SendPolicy", "DocumentTree"]),

        // Edges: one C library each; no word of campaigns.
        room("LinuxIO", ["CLinux"]),
        room("TLS", ["COpenSSL"]),
        room("HTTP2", ["CNGHTTP2", "HeaderCompression"]),
        room("PostgreSQL", ["CPostgreSQL"]),
        room("DocumentText", ["CFyaml", "DocumentTree"]),

        // Joined edges.
        room("Wire", ["LinuxIO", "TLS", "HTTP2"]),
        room("LocalCluster", ["LinuxIO", "PostgreSQL"]),

        // The work.
        room("CampaignStore", ["PostgreSQL", "SQLFiles", "CampaignModel", "APNSProtocol"]),
        room("APNSClient", ["Wire", "LinuxIO", "TLS", "HTTP2", "APNSProtocol", "SendPolicy"]),
        room(
            "APNSSimulator",
            ["Wire", "LinuxIO", "TLS", "HTTP2", "HeaderCompression", "APNSProtocol"]),
        room(
            "CampaignRunner",
            [
                "CampaignStore", "APNSClient", "CampaignModel", "APNSProtocol", "SendPolicy",
                "LinuxIO", "TLS", "PostgreSQL",
            ]),

        // The shell and the program.
        room(
            "CommandLineTool",
            [
                "CampaignRunner", "APNSSimulator", "APNSClient", "CampaignStore", "CampaignModel",
                "DocumentText", "DocumentTree", "APNSProtocol", "SendPolicy", "LocalCluster",
                "PostgreSQL", "LinuxIO", "TLS",
            ]),
        .executableTarget(
            name: "sortie", dependencies: ["CommandLineTool"], swiftSettings: settings),

        // A tool for developers: see Scripts/soak.
        .executableTarget(
            name: "sortie-soak",
            dependencies: [
                "APNSClient", "APNSSimulator", "APNSProtocol", "SendPolicy", "LinuxIO", "TLS",
            ], swiftSettings: settings),

        // A tool for developers: see Scripts/bench. It runs the built programs as anybody would.
        .executableTarget(
            name: "sortie-bench",
            dependencies: ["LocalCluster", "PostgreSQL", "LinuxIO", "APNSProtocol"],
            swiftSettings: settings),
        .target(name: "CallCounter"),

        // A tool for developers: see Scripts/simulate.
        room(
            "RunSimulation",
            [
                "CampaignRunner", "CampaignStore", "APNSClient", "CampaignModel", "APNSProtocol",
                "SendPolicy", "LinuxIO", "TLS", "PostgreSQL",
            ]),
        .executableTarget(
            name: "sortie-simulation", dependencies: ["RunSimulation"], swiftSettings: settings),

        // A tool for developers: see Scripts/crash-test. It runs the built program as anybody
        // would, and ends it as nobody should.
        .executableTarget(
            name: "sortie-crash", dependencies: ["LocalCluster", "PostgreSQL", "LinuxIO"],
            swiftSettings: settings),

        // Tests: one target per room; TestSupport has what several of them need.
        .target(
            name: "TestSupport", dependencies: ["LocalCluster", "PostgreSQL", "LinuxIO"],
            path: "Tests/TestSupport", swiftSettings: testSettings),
        tests("APNSProtocolTests", ["APNSProtocol"]),
        tests("SendPolicyTests", ["SendPolicy"]),
        tests(
            "CampaignModelTests",
            ["CampaignModel", "DocumentText", "DocumentTree", "APNSProtocol", "SendPolicy"]),
        tests("DocumentTextTests", ["DocumentText", "DocumentTree"]),
        tests("LinuxIOTests", ["LinuxIO"]),
        tests("TLSTests", ["TLS"]),
        tests("HTTP2Tests", ["HTTP2", "CNGHTTP2"]),
        tests("HeaderCompressionTests", ["HeaderCompression", "HTTP2", "CNGHTTP2"]),
        tests("WireTests", ["Wire", "HTTP2", "TLS", "LinuxIO", "TestSupport"]),
        tests("PostgreSQLTests", ["PostgreSQL", "LocalCluster", "LinuxIO", "TestSupport"]),
        tests(
            "CampaignStoreTests",
            [
                "CampaignStore", "PostgreSQL", "CampaignModel", "APNSProtocol", "SendPolicy",
                "LinuxIO", "TestSupport",
            ]),
        tests(
            "APNSClientTests",
            [
                "APNSClient", "APNSSimulator", "Wire", "HTTP2", "TLS", "LinuxIO", "APNSProtocol",
                "SendPolicy", "TestSupport",
            ]),
        tests(
            "CampaignRunnerTests",
            [
                "CampaignRunner", "APNSClient", "CampaignStore", "CampaignModel", "APNSProtocol",
                "SendPolicy", "LinuxIO", "DocumentText", "DocumentTree", "PostgreSQL", "TLS",
                "APNSSimulator", "TestSupport",
            ]),
        tests(
            "RunSimulationTests",
            [
                "RunSimulation", "CampaignStore", "CampaignModel", "APNSProtocol", "PostgreSQL",
                "TestSupport",
            ]),
        tests(
            "APNSSimulatorTests",
            ["APNSSimulator", "Wire", "HTTP2", "TLS", "LinuxIO", "APNSProtocol", "TestSupport"]),
        tests(
            "ProgramTests",
            [
                "CommandLineTool", "CampaignRunner", "CampaignStore", "TestSupport",
                "APNSSimulator", "APNSProtocol", "PostgreSQL", "LinuxIO", "TLS", "DocumentText",
                "DocumentTree",
            ]),
        tests("RepositoryTests", ["DocumentText", "DocumentTree", "LinuxIO"]),
    ],
    cLanguageStandard: .c2x
)
