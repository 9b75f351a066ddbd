import CampaignModel
import DocumentTree
import SendPolicy
import Testing

/// Numbers with units: what is read, and both sides of every bound.
@Suite struct FieldNumberTests {
    @Test(arguments: [
        ("send: { connections: 0 }", false), ("send: { connections: 1 }", true),
        ("send: { connections: 64 }", true), ("send: { connections: 65 }", false),
        ("preflight: { connections: 0 }", false), ("preflight: { connections: 64 }", true),
        ("send: { burst: 0 }", false), ("send: { burst: 1 }", true),
        ("send: { burst: 10000 }", true), ("send: { burst: 10001 }", false),
        ("send: { max_in_flight: 0 }", false), ("send: { max_in_flight: 10001 }", false),
        ("send: { retry: { attempts: 0 } }", false), ("send: { retry: { attempts: 1 } }", true),
        ("send: { retry: { attempts: 20 } }", true), ("send: { retry: { attempts: 21 } }", false),
        ("send: { stop_if: { minimum: 0 } }", false), ("send: { stop_if: { minimum: 1 } }", true),
        ("send: { connections: 1.5 }", false), ("send: { connections: many }", false),
        ("send: { connections: [4] }", false), ("send: { connections: \"4\" }", true),
        ("send: { connections: 99999999999999999999999999 }", false),
        ("send: { request_timeout: 99ms }", false), ("send: { request_timeout: 100ms }", true),
        ("send: { request_timeout: 10m }", true), ("send: { request_timeout: 601s }", false),
        ("send: { request_timeout: 30 }", false), ("send: { request_timeout: -5s }", false),
        ("send: { request_timeout: 1.5s }", false), ("send: { request_timeout: \"\" }", false),
        ("send: { retry: { within: 0 } }", true), ("send: { retry: { within: 7d } }", true),
        ("send: { retry: { within: 169h } }", false), ("send: { retry: { delay: 25h } }", false),
        ("preflight: { stale_after: 0 }", false), ("preflight: { stale_after: 1s }", true),
        ("preflight: { stale_after: 1500ms }", false), ("preflight: { stale_after: 2000ms }", true),
        ("preflight: { stale_after: 3650d }", true), ("preflight: { stale_after: 3651d }", false),
        ("audience: { registered_within: 0 }", false),
        ("audience: { registered_within: 99999999999999999d }", false),
        ("send: { rate: 100000 }", true), ("send: { rate: 100001 }", false),
        ("send: { rate: 1 per minute }", true), ("send: { rate: 0.5 per minute }", false),
        ("send: { rate: 0 }", false), ("send: { rate: -1 }", false), ("send: { rate: nan }", false),
        ("send: { rate: .5 }", true), ("send: { rate: 1e3 }", false),
        ("send: { rate: 5 per fortnight }", false), ("send: { rate: unlimited }", true),
        ("send: { stop_if: { invalid: 0% } }", true),
        ("send: { stop_if: { invalid: 100% } }", true),
        ("send: { stop_if: { invalid: 101% } }", false),
        ("send: { stop_if: { invalid: 1 } }", true),
        ("send: { stop_if: { invalid: 20 } }", false),
        ("send: { stop_if: { invalid: -1% } }", false),
        ("send: { stop_if: { invalid: inf } }", false),
        ("send: { stop_if: { unknown: 100% } }", true),
        ("send: { stop_if: { unknown: 101% } }", false),
        ("send: { stop_if: { errors: 0.5 } }", true), ("send: { stop_if: { errors: 50 } }", false),
        ("send: { canary: { recipients: 0 } }", true),
        ("send: { canary: { recipients: 10000 } }", true),
        ("send: { canary: { recipients: 10001 } }", false),
        ("send: { canary: { recipients: -1 } }", false),
        ("send: { canary: { recipients: 5% } }", false),
        ("send: { canary: { stop_if_rejected: 10% } }", true),
        ("send: { canary: { stop_if_rejected: 101% } }", false),
        ("send: { canary: 500 }", false),
    ])
    func everyBoundHolds(section: String, isRight: Bool) {
        let errors = errors(campaignText(more: section))
        #expect(errors.isEmpty == isRight, "\(errors)")
        #expect(errors.count <= 1)
    }

    @Test(arguments: [
        ("1500", Rate.perSecond(1500)), ("1500 per second", Rate.perSecond(1500)),
        ("40 per minute", Rate.perMinute(40)), ("0.5", Rate.perSecond(decimal: 0.5)),
        ("90.6 per minute", Rate.perSecond(decimal: 1.51)), ("unlimited", .unlimited),
    ])
    func ratesAreExact(text: String, rate: Rate?) throws {
        #expect(try campaign(campaignText(more: "send: { rate: \(text) }")).send.rate == rate)
    }

    @Test(arguments: [
        ("1", Int64(0)), ("0", 0), ("30s", 30), ("5m", 300), ("12h", 43_200), ("14d", 1_209_600),
        ("3000ms", 3),
    ])
    func durationsHaveUnits(text: String, seconds: Int64) throws {
        let message = "title: x, expires_after: \(text)"
        guard text != "1" else {
            let found = errors(campaignText(message: message)).first?.message
            #expect(
                found == "found \"1\" without a unit; write a duration such as 30s, 5m, 12h or 14d")
            return
        }
        #expect(try campaign(message: message).message.expiresAfterSeconds == seconds)
    }

    // node-apn/node-apn#660, jchambers/pushy#237: a moment in milliseconds where seconds belong.
    @Test(arguments: [("1798761600000", "milliseconds"), ("1798761600", "seconds")])
    func aDateInPlaceOfADurationIsCaught(text: String, unit: String) {
        let errors = errors(campaignText(message: "title: x, expires_after: \(text)"))
        #expect(
            errors.first?.message.contains("looks like a date in \(unit) since 1970") == true)
    }

    @Test(arguments: [("29d", true), ("30d", true), ("31d", false), ("2592001s", false)])
    func apnsStoresNothingLongerThanThirtyDays(text: String, isRight: Bool) {
        let errors = errors(campaignText(message: "title: x, expires_after: \(text)"))
        #expect(errors.isEmpty == isRight)
    }

    @Test func aShareWithoutPercentSignIsAskedFor() {
        let errors = errors(campaignText(more: "send: { stop_if: { invalid: 20 } }"))
        #expect(errors.first?.message == "found \"20\" without a percent sign; write 20%")
    }

    @Test func aDelayLongerThanTheWholeTimeIsWarnedAbout() throws {
        let found = try warnings(campaignText(more: "send: { retry: { within: 5m } }"))
        #expect(found.map(\.fieldPath) == ["send.retry"])
        #expect(try warnings(campaignText(more: "send: { retry: { within: 15m } }")).isEmpty)
    }
}
