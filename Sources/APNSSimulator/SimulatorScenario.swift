/// What goes wrong on purpose, as a list of rules: plain values, to be made in code or read from a
/// file.
///
/// Every rule that fits is applied, in their order: of several replies to one request the last
/// counts, delays add up, and steps of the connection follow one another.
package struct SimulatorScenario: Sendable, Equatable {
    /// One rule: where, when, what.
    package struct Rule: Sendable, Equatable {
        /// The numbers of the connections it is for, from 1 in the order of acceptance; nil: all.
        package var connections: Set<Int>?
        /// When it applies.
        package var trigger: Trigger
        /// How often it applies at most, over all connections; nil: without end.
        package var timesMax: Int?
        /// What happens.
        package var action: Action

        /// Names the rule.
        ///
        /// - Parameters:
        ///   - trigger: When it applies.
        ///   - action: What happens; one that needs a request never follows a trigger by the clock.
        ///   - connections: The numbers of the connections it is for; nil: all.
        ///   - timesMax: How often at most, 1 or more; nil: without end.
        package init(
            _ trigger: Trigger, _ action: Action, connections: Set<Int>? = nil,
            timesMax: Int? = nil
        ) {
            precondition(
                !(trigger.isByClock && action.needsRequest), "the clock brings no request")
            self.trigger = trigger
            self.action = action
            self.connections = connections
            self.timesMax = timesMax
        }
    }

    /// When a rule applies.
    package enum Trigger: Sendable, Equatable {
        /// With this complete request of the connection, once per connection.
        case afterRequests(Int)
        /// With every so-manieth complete request of the connection.
        case everyRequests(Int)
        /// At this age of the connection, in nanoseconds since TLS was agreed; once.
        case after(nanoseconds: Int64)
        /// Again and again after so many nanoseconds of the connection's life.
        case every(nanoseconds: Int64)
        /// With this complete request of the simulator, all connections together.
        case requestInAll(Int)
        /// With requests for tokens that begin so, in lower-case digits.
        case tokenPrefix([UInt8])
        /// With requests for this share of tokens: which ones depends on their digits and the seed.
        case tokenShare(Double)
        /// With this share of requests, drawn at random from the seed.
        case chance(Double)

        /// Whether it comes with time and not with a request.
        package var isByClock: Bool {
            switch self {
            case .after, .every: true
            default: false
            }
        }
    }

    /// What happens.
    package enum Action: Sendable, Equatable {
        /// Something becomes of the request.
        case reply(RequestTreatment.Reply)
        /// The request is answered so much later, in nanoseconds.
        case delay(nanoseconds: Int64)
        /// The connection does something.
        case step(ConnectionStep)

        /// Whether it is about a request.
        package var needsRequest: Bool {
            if case .step = self { false } else { true }
        }
    }

    /// Of everything drawn at random; the same seed draws the same for a connection's number.
    package var seed: UInt64
    /// The rules, in the order of their application.
    package var rules: [Rule]

    /// Names the scenario.
    ///
    /// - Parameters:
    ///   - seed: Any number.
    ///   - rules: The rules, in the order of their application.
    package init(seed: UInt64 = 1, rules: [Rule]) {
        self.seed = seed
        self.rules = rules
    }
}
