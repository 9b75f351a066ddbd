/// Everything the project knows about one reason of APNs.
package struct ReasonRow: Sendable {
    /// The reason's number, stable for ever.
    package let code: ReasonCode
    /// The reason exactly as APNs writes it.
    package let wire: String
    /// The status it comes with.
    package let status: Int
    /// What it is about.
    package let reasonClass: ReasonClass
    /// What is done about it.
    package let verdict: Verdict
    /// Whether, and how, a recipient may be tried again.
    package let retry: RetryRule
    /// What APNs means by it: one sentence.
    package let meaning: String
    /// What a person should do about it: one sentence.
    package let advice: String

    /// Whether the brake against a wrong environment or topic counts it.
    package var isInvalidTokenEvidence: Bool { verdict.isInvalidTokenEvidence }

    init(
        _ code: UInt16, _ status: Int, _ wire: String, _ reasonClass: ReasonClass,
        _ verdict: Verdict, _ retry: RetryRule, meaning: String, advice: String
    ) {
        self.code = ReasonCode(rawValue: code)
        self.wire = wire
        self.status = status
        self.reasonClass = reasonClass
        self.verdict = verdict
        self.retry = retry
        self.meaning = meaning
        self.advice = advice
    }
}
