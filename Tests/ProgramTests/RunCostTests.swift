import APNSSimulator
import Glibc
import LinuxIO
import TestSupport
import Testing

/// What a thousand pushes cost a whole run, in counts of calls: from the database to the record.
///
/// Each figure is the difference between a large run and a small one, so what a run costs once
/// drops out. Times are not looked at. A figure above its limit fails; one far below it is a reason
/// to write a new limit down.
@Suite(.enabled(if: TestCluster.isExpected && !CallCounts.isSanitized)) struct RunCostTests {
    private static let small = 2_000
    private static let large = 22_000

    /// A figure per 1,000 pushes, and what it may be at most.
    struct Limit: Sendable {
        let name: String
        let most: Int
        let figure: @Sendable (CallCounts) -> Int
    }

    /// Allocations and bytes hardly depend on how the threads take turns: their limits have three
    /// per cent of room over the highest of several measurements, and one allocation more for each
    /// push is six. Calls do: if the machine is busy, a turn of the loop finds fewer answers and
    /// sends fewer requests. Their limits are five times what was measured, which still is one call
    /// for many pushes.
    static let limits = [
        Limit(name: "allocations", most: allocationsMost) { $0.allocations },
        Limit(name: "bytes written", most: 246_000) { $0.writtenBytes },
        Limit(name: "write calls", most: 40) { $0.writes },
        Limit(name: "read calls", most: 60) { $0.reads },
    ]

    /// Of the optimized program's, measured as 1,260, a thousand are libpq's, which gives out each
    /// row in memory of its own; the others are for TLS records and batches. The unoptimized one
    /// also makes objects of what closures capture.
    private static var allocationsMost: Int {
        #if DEBUG
            18_000
        #else
            1_400
        #endif
    }

    @Test func aThousandPushesCostNoMoreThanIsWrittenDown() throws {
        try Scene.with(change: { $0.isFast = true }) { scene in
            try scene.importDevices(Self.large)
            let small = try counts(Self.small, scene)
            let large = try counts(Self.large, scene)
            let cost = (large - small).perThousand(of: Self.large - Self.small)
            for limit in Self.limits {
                let figure = limit.figure(cost)
                print("1,000 pushes: \(figure) \(limit.name), at most \(limit.most)")
                #expect(figure <= limit.most, "\(limit.name) of 1,000 pushes")
            }
        }
    }

    /// What a run for the first `recipients` devices calls.
    private func counts(_ recipients: Int, _ scene: Scene) throws -> CallCounts {
        try scene.folder.write(
            "sale.json",
            """
            {
              campaign: sale,
              app: \(Scene.app),
              environment: production,
              audience: { where: "d.id <= \(recipients)" },
              message: { title: "Sale", body: "Until Sunday, in every shop." },
              preflight: { probe: none },
              send: {
                connections: 2, rate: unlimited, max_in_flight: 500, canary: { recipients: 0 },
              },
            }

            """)
        let file = "\(scene.folder.path)/counts-\(recipients)"
        var program = scene.program
        program.environment = CallCounts.environment(file: file)
        let result = try program.run("run", "sale.json", "--occurrence", "\(recipients)", "--json")
        try #require(result.status == 0, "\(result.errors)")
        #expect(try scene.field("accepted", ofJSON: result.output) == "\(recipients)")
        return try CallCounts(file: file)
    }
}

/// What a program called, as the library counts that is loaded before it.
struct CallCounts: Sendable {
    var allocations = 0
    var reads = 0
    var writes = 0
    var writtenBytes = 0

    /// Built with the program, and so beside it.
    private static let library: String = {
        let parts = BuiltProgram.path.split(separator: "/", omittingEmptySubsequences: false)
        return parts.dropLast().joined(separator: "/") + "/libCallCounter.so"
    }()

    /// Sanitizers have an allocator of their own, which has to come first.
    static let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

    /// Makes a program count, and write the counts to a file at its end.
    static func environment(file: String) -> [String: String] {
        ["LD_PRELOAD": library, "SORTIE_BENCH_COUNTS": file]
    }

    private init() {}

    /// Reads what a program wrote.
    init(file: String) throws {
        let bytes = try FileContents.read(file, limitBytes: 4_096)
        var numbers: [Substring: Int] = [:]
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 2 { numbers[words[0]] = Int(words[1]) }
        }
        allocations = try #require(numbers["allocations"])
        reads = try #require(numbers["reads"])
        writes = try #require(numbers["writes"])
        writtenBytes = try #require(numbers["written_bytes"])
    }

    static func - (more: CallCounts, less: CallCounts) -> CallCounts {
        var rest = CallCounts()
        rest.allocations = more.allocations - less.allocations
        rest.reads = more.reads - less.reads
        rest.writes = more.writes - less.writes
        rest.writtenBytes = more.writtenBytes - less.writtenBytes
        return rest
    }

    /// The counts for each 1,000 of `pushes`.
    func perThousand(of pushes: Int) -> CallCounts {
        var part = CallCounts()
        part.allocations = allocations * 1_000 / pushes
        part.reads = reads * 1_000 / pushes
        part.writes = writes * 1_000 / pushes
        part.writtenBytes = writtenBytes * 1_000 / pushes
        return part
    }
}
