/// Judges answers: status and reason in, verdict out.
package enum Judgement {
    /// What an answer means.
    ///
    /// A known reason decides as long as its status class agrees (Apple may move a reason from one
    /// 4xx to another). Where they disagree, or the reason is unknown or missing, the status
    /// decides: 410 is about the token, 5xx passes, another 4xx is final for this recipient. An
    /// answer that is not one of APNs at all (a redirect by a proxy) is tried again later; another
    /// 2xx is never sent again, because it may have been taken.
    ///
    /// *Source:* Apple, "Handling notification responses from APNs".
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - reason: The reason of the answer's body, or `none`.
    /// - Returns: The verdict.
    @inlinable
    package static func verdict(status: Int, reason: ReasonCode) -> Verdict {
        status == 200 ? .accepted : refusal(status: status, reason: reason)
    }

    /// The verdict on an answer that is no 200: the rare case, kept out of the caller's code.
    ///
    /// - Parameters:
    ///   - status: The HTTP status.
    ///   - reason: The reason of the answer's body, or `none`.
    /// - Returns: The verdict.
    @usableFromInline
    package static func refusal(status: Int, reason: ReasonCode) -> Verdict {
        if let known = known(reason), known.status / 100 == status / 100 { return known.verdict }
        return verdict(status: status)
    }

    /// What a reason without a status means, as in the debug data of a GOAWAY frame.
    ///
    /// - Parameter reason: The reason.
    /// - Returns: The row's verdict, or nil if the table does not know the reason.
    package static func verdict(goAwayReason reason: ReasonCode) -> Verdict? {
        known(reason)?.verdict
    }

    private static func verdict(status: Int) -> Verdict {
        switch status {
        case 410: .rejectedToken(kind: .gone)
        case 200..<300, 400..<500: .rejected
        default: .retryLater
        }
    }

    private static func known(_ reason: ReasonCode) -> KnownJudgement? {
        let code = Int(reason.rawValue)
        guard code < ReasonTable.judgements.count else { return nil }
        return ReasonTable.judgements[code]
    }
}
