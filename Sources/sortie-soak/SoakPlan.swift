internal import APNSSimulator

/// What goes wrong in a soak: rules of every kind whose frequencies are drawn from the seed.
struct SoakPlan {
    private typealias Action = SimulatorScenario.Action
    private typealias Rule = SimulatorScenario.Rule

    /// SplitMix64 (Steele, Lea, Flood, 2014): the same numbers on every machine.
    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            return word ^ (word >> 31)
        }
    }

    private static let millisecond: Int64 = 1_000_000

    /// The rules for a seed.
    ///
    /// - Parameter seed: Any number.
    /// - Returns: The scenario.
    static func scenario(seed: UInt64) -> SimulatorScenario {
        var generator = Generator(state: seed)
        let frequent = requestRules + limitRules
        let rules = (frequent + farewellRules + stallRules).map { share, action in
            // A quarter to four times the usual frequency.
            let factor = Double(1 << Int.random(in: 0...4, using: &generator)) / 4
            return Rule(.chance(share * factor), action)
        }
        return SimulatorScenario(seed: seed, rules: rules + recoveryRules)
    }

    /// Refusals, resets, silence and answers of all classes. REFUSED_STREAM is 7, INTERNAL_ERROR 2,
    /// CANCEL 8, NO_ERROR 0 (RFC 9113, section 7).
    private static var requestRules: [(Double, Action)] {
        [
            (0.004, .reply(.reset(code: 7))),
            (0.0005, .reply(.reset(code: 2))),
            (0.0002, .reply(.reset(code: 8))),
            (0.0002, .reply(.ignored)),
            (0.0001, .reply(.answer(ScriptedAnswer(status: 200, ending: .never)))),
            (0.0005, .reply(.answer(ScriptedAnswer(status: 200, ending: .resetAfter(code: 0))))),
            (0.005, .reply(.answer(status: 400, reason: "BadDeviceToken"))),
            (
                0.01,
                .reply(
                    .answer(
                        ScriptedAnswer(
                            status: 410, reason: "Unregistered", timestampMilliseconds: 1)))
            ),
            (0.001, .reply(.answer(status: 429, reason: "TooManyRequests"))),
            (0.002, .reply(.answer(status: 503, reason: "ServiceUnavailable"))),
            (0.0001, .reply(.answer(status: 503, reason: "Shutdown"))),
            (0.01, .delay(nanoseconds: 30 * millisecond)),
        ]
    }

    private static var limitRules: [(Double, Action)] {
        [
            (0.0001, .step(.streamLimit(1))), (0.00005, .step(.streamLimit(0))),
            (0.0002, .step(.streamLimit(17))), (0.0003, .step(.streamLimit(1000))),
        ]
    }

    private static var farewellRules: [(Double, Action)] {
        let lasts: [ConnectionFarewell.LastStream] = [.all, .none, .this, .half]
        let single = lasts.map { last in
            (0.00002, Action.step(.farewell(ConnectionFarewell(last: last))))
        }
        let double = lasts.map { last in
            let farewell = ConnectionFarewell(last: last, noticeNanoseconds: 20 * millisecond)
            return (0.00001, Action.step(.farewell(farewell)))
        }
        return single + double + [(0.00003, .step(.drop)), (0.00001, .step(.closeHalf))]
    }

    private static var stallRules: [(Double, Action)] {
        [
            (0.00001, .step(.stopReading(nanoseconds: 300 * millisecond))),
            (0.00001, .step(.stopAnswering(nanoseconds: 400 * millisecond))),
            (0.000002, .step(.stopReading(nanoseconds: nil))),
            (0.000001, .step(.stopAnswering(nanoseconds: nil))),
            (
                0.00001,
                .step(
                    .flood(
                        ConnectionFlood(
                            frame: .ping, perSecond: 2_000, nanoseconds: 200 * millisecond)))
            ),
            (
                0.00001,
                .step(
                    .flood(
                        ConnectionFlood(
                            frame: .settings, perSecond: 500, nanoseconds: 200 * millisecond)))
            ),
        ]
    }

    /// Limits that fell to nothing rise again.
    private static var recoveryRules: [Rule] {
        [Rule(.every(nanoseconds: 250 * millisecond), .step(.streamLimit(500)))]
    }
}
