internal import APNSProtocol
internal import HTTP2

/// One answer, ready to be given.
struct Answer: Sendable {
    let status: Int
    /// The status and room for `apns-id`.
    let head: HTTP2ResponseHead
    let body: [UInt8]
}

/// Every answer the judge can give, made beforehand. Immutable, shared by all threads.
struct AnswerBook: Sendable {
    /// 200 without fields: the answer of the fast mode.
    let bare = HTTP2ResponseHead(status: 200)
    /// And its answer for a dead token.
    let bareGone = HTTP2ResponseHead(status: Refusal.unregistered.status)
    let accepted = Answer(status: 200, head: head(200), body: [])
    /// By the refusal's number.
    let refusals = Refusal.allCases.map { refusal in
        Answer(
            status: refusal.status, head: head(refusal.status), body: body(reason: refusal.reason))
    }
    /// The body of a 410 up to its timestamp.
    let goneBodyStart = Array("{\"reason\":\"\(Refusal.unregistered.reason)\",\"timestamp\":".utf8)

    /// A head with `apns-id`.
    static func head(_ status: Int) -> HTTP2ResponseHead {
        HTTP2ResponseHead(status: status, varyingName: "apns-id")
    }

    /// The body of a scripted answer: as given, or JSON with what is to be said; empty for nothing.
    static func body(_ answer: ScriptedAnswer) -> [UInt8] {
        if let body = answer.body { return body }
        guard let timestamp = answer.timestampMilliseconds else {
            return answer.reason.isEmpty ? [] : body(reason: answer.reason)
        }
        var body: [UInt8] =
            answer.reason.isEmpty ? [UInt8(ascii: "{")] : body(reason: answer.reason)
        if !answer.reason.isEmpty { body[body.count - 1] = UInt8(ascii: ",") }
        body += Array("\"timestamp\":".utf8)
        JSONText.appendNumber(timestamp, to: &body)
        body.append(UInt8(ascii: "}"))
        return body
    }

    /// The body of a refusal: a JSON object with the reason as it stands on the wire.
    static func body(reason: String) -> [UInt8] {
        var body = Array("{\"reason\":".utf8)
        JSONText.appendString(reason, to: &body)
        body.append(UInt8(ascii: "}"))
        return body
    }
}
