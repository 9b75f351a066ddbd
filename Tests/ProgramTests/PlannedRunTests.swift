import APNSSimulator
import Glibc
import TestSupport
import Testing

/// `sortie run` of a campaign with a schedule: its exit codes and what it says.
@Suite(.enabled(if: TestCluster.isExpected)) struct PlannedRunTests {
    private func write(_ scene: Scene, inSeconds seconds: Int, _ more: String = "") throws {
        let at =
            try scene.value(
                "SELECT to_char((now() + interval '\(seconds) seconds') AT TIME ZONE 'UTC', "
                    + "'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')") ?? ""
        try scene.campaign(more: "schedule: { at: \"\(at)\"\(more) },")
    }

    @Test func aMissedStartHasACodeOfItsOwnAndLateSendsIt() throws {
        try Scene.with { scene in
            try scene.importDevices(5)
            try write(scene, inSeconds: -7200, ", not_later_than: 1h")
            let missed = try scene.program.run("run", "sale.json", "--json")
            #expect(missed.status == 79, "\(missed.errors)")
            #expect(missed.errors.contains("add --late"))
            #expect(try scene.field("end", ofJSON: missed.output) == "missed")
            #expect(try scene.field("state", ofJSON: missed.output) == "failed")
            // kraiz/django-crontab#99: a failure that nobody hears of; with --quiet too.
            let quiet = try scene.program.run("run", "sale.json", "--quiet")
            #expect(quiet.status == 79 && quiet.errors.contains("has missed its start"))
            #expect(scene.simulator.snapshot().requests == 0)
            let late = try scene.program.run("run", "sale.json", "--late")
            #expect(late.status == 0, "\(late.errors)")
            #expect(late.errors.contains("because of --late"))
            #expect(scene.simulator.snapshot().requests == 5)
        }
    }

    @Test func aStartDaysAheadSaysWhen() throws {
        try Scene.with { scene in
            try write(scene, inSeconds: 3 * 86_400 + 100)
            let early = try scene.program.run("run", "sale.json")
            #expect(early.status == 75)
            #expect(early.errors.contains("in 3 d"), "\(early.errors)")
        }
    }

    @Test func aZoneThatDoesNotExistIsToldWithItsPlace() throws {
        try Scene.with { scene in
            try scene.campaign(
                more: "schedule: { at: 2026-12-05T10:00, zone: Europe/Budapst },")
            let result = try scene.program.run("run", "sale.json")
            #expect(result.status == 65)
            #expect(
                result.errors.contains("sale.json:8:")
                    && result.errors.contains("did you mean Europe/Budapest?"), "\(result.errors)")
        }
    }

    /// A probe some days ahead must not stand in for the run itself.
    @Test func aProbeIsNotTheRunOfTheDay() throws {
        try Scene.with { scene in
            try scene.importDevices(5)
            try write(scene, inSeconds: 0)
            #expect(try scene.program.run("probe", "sale.json").status == 0)
            let run = try scene.program.run("run", "sale.json", "--json")
            #expect(run.status == 0, "\(run.errors)")
            #expect(try scene.field("accepted", ofJSON: run.output) == "5")
        }
    }

    @Test func aPlannedRunWaitsAndCanBeStopped() throws {
        try Scene.with { scene in
            try write(scene, inSeconds: 3600)
            let run = try scene.program.start(["run", "sale.json"])
            try scene.wait(for: "Planned for ", saidBy: run)
            #expect(try scene.value("SELECT state FROM sortie.run") == "planned")
            #expect(try scene.program.run("status").output.contains("its start"))
            #expect(try scene.program.run("run", "sale.json").status == 75)
            run.signal(SIGTERM)
            let stopped = try run.wait(seconds: 20)
            #expect(stopped.status == 75)
            #expect(stopped.errors.contains("nothing was sent"))
            #expect(scene.simulator.snapshot().requests == 0)
        }
    }
}
