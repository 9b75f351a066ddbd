internal import APNSProtocol
internal import TLS

/// Whether a client certificate can serve a campaign, found out before anything is connected to.
///
/// APNs would refuse every push otherwise, and sooner or later the connection.
struct CertificateCheck: Equatable {
    /// Why it can't serve: a sentence each. Empty: it can.
    let refusals: [String]
    /// That it ends soon. Nil: it does not.
    let warning: String?

    private static let daySeconds: Int64 = 86_400
    /// A month is what it takes to get a new one through a company.
    private static let warningDays: Int64 = 30
    private static let renewal = "renew it on Apple's developer site"

    /// Compares a certificate with a campaign and the time.
    ///
    /// - Parameters:
    ///   - facts: what the certificate says of itself.
    ///   - file: its file's path, for the sentences.
    ///   - app: the campaign's topic.
    ///   - environment: the campaign's environment.
    ///   - nowSeconds: seconds since 1970 UTC.
    init(
        _ facts: CertificateFacts, file: String, app: String, environment: APNSEnvironment,
        nowSeconds: Int64
    ) {
        let name = "\(file): the certificate \(facts.subject)"
        refusals = [
            Self.timeRefusal(facts, nowSeconds), Self.topicRefusal(facts, app),
            Self.environmentRefusal(facts, environment),
        ].compactMap { $0 }.map { "\(name) \($0)." }
        let secondsLeft = facts.notAfterSeconds - nowSeconds
        let isEnding = secondsLeft <= Self.warningDays * Self.daySeconds
        warning =
            refusals.isEmpty && isEnding
            ? "\(name) ends on \(facts.lastDay), \(Self.timeLeft(secondsLeft)); \(Self.renewal)."
            : nil
    }

    private static func timeRefusal(_ facts: CertificateFacts, _ now: Int64) -> String? {
        if now > facts.notAfterSeconds { return "expired on \(facts.lastDay); \(renewal)" }
        guard now < facts.notBeforeSeconds else { return nil }
        let begin = UTCTime(secondsSince1970: facts.notBeforeSeconds).text
        let clock = UTCTime(secondsSince1970: now).text
        return "is valid from \(begin) only, and this machine's clock says \(clock)"
    }

    /// A certificate that names no topic leaves the decision to APNs.
    private static func topicRefusal(_ facts: CertificateFacts, _ app: String) -> String? {
        guard !facts.topics.isEmpty, !facts.topics.contains(app) else { return nil }
        return "is not for the app \(app); it is for \(facts.topics.joined(separator: ", "))"
    }

    /// A certificate without Apple's marks leaves the decision to APNs.
    private static func environmentRefusal(
        _ facts: CertificateFacts, _ environment: APNSEnvironment
    ) -> String? {
        let (wanted, other): (AppleMarks, APNSEnvironment) =
            switch environment {
            case .production: (.production, .sandbox)
            case .sandbox: (.sandbox, .production)
            }
        guard !facts.marks.isEmpty, !facts.marks.contains(wanted) else { return nil }
        return "is for \(other.rawValue) only, and the campaign says \(environment.rawValue)"
    }

    private static func timeLeft(_ seconds: Int64) -> String {
        switch seconds / daySeconds {
        case 0: "in less than a day"
        case 1: "in 1 day"
        case let days: "in \(days) days"
        }
    }
}
