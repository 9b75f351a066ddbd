internal import APNSProtocol
internal import HTTP2

/// Writes answers to streams. Owned by one worker, used on its thread.
struct Answerer {
    let book = AnswerBook()
    private let environment: APNSEnvironment
    private var random: RandomStream
    /// Room for the body of one 410.
    private var goneBody: [UInt8] = []
    /// Room for the `apns-id` of one answer.
    private var ownID = [UInt8](repeating: 0, count: UUIDText.length)

    /// - Parameters:
    ///   - environment: The sandbox adds `apns-unique-id`.
    ///   - seed: Of the ids; a fresh one for each simulator, lest two of them give the same ids.
    init(environment: APNSEnvironment, seed: UInt64) {
        self.environment = environment
        random = RandomStream(seed: seed)
    }

    /// Gives the answer to a request.
    ///
    /// - Parameters:
    ///   - slot: The request.
    ///   - index: Its slot's number in the session.
    ///   - http2: The session.
    /// - Returns: The status answered.
    mutating func answer(_ slot: borrowing RequestSlot, index: Int, on http2: HTTP2Server) -> Int {
        if case .answer(let answer) = slot.reply {
            return send(slot, index, answer, http2)
        }
        switch slot.ruling {
        case .accepted, .ignored:
            return send(slot, index, book.accepted, http2)
        case .refused(let refusal):
            return send(slot, index, book.refusals[refusal.rawValue], http2)
        case .gone(let timestampMilliseconds):
            writeGoneBody(timestampMilliseconds)
            let plain = book.refusals[Refusal.unregistered.rawValue]
            let answer = Answer(status: plain.status, head: plain.head, body: goneBody)
            return send(slot, index, answer, http2)
        }
    }

    /// The reason that an answer names; empty for none.
    static func reason(of slot: borrowing RequestSlot) -> String {
        if case .answer(let answer) = slot.reply { return answer.reason }
        return switch slot.ruling {
        case .accepted, .ignored: ""
        case .refused(let refusal): refusal.reason
        case .gone: Refusal.unregistered.reason
        }
    }

    /// An answer out of the ordinary.
    private mutating func send(
        _ slot: borrowing RequestSlot, _ index: Int, _ answer: ScriptedAnswer, _ http2: HTTP2Server
    ) -> Int {
        let id = slot.intake.apnsID.isEmpty ? newID() : slot.intake.apnsID
        var fields = [HTTP2Field(name: "apns-id", value: id, indexing: .never)]
        if environment == .sandbox {
            fields.append(HTTP2Field(name: "apns-unique-id", value: newID(), indexing: .never))
        }
        if let seconds = answer.retryAfterSeconds {
            fields.append(HTTP2Field("retry-after", "\(seconds)"))
        }
        switch answer.ending {
        case .never: http2.sendHead(slot: index, status: answer.status, fields: fields)
        case .complete:
            http2.respond(
                slot: index, status: answer.status, fields: fields, body: AnswerBook.body(answer))
        case .resetAfter(let code):
            http2.respond(
                slot: index, status: answer.status, fields: fields, body: AnswerBook.body(answer),
                resetAfter: code)
        }
        return answer.status
    }

    private mutating func send(
        _ slot: borrowing RequestSlot, _ index: Int, _ answer: Answer, _ http2: HTTP2Server
    ) -> Int {
        let id = slot.intake.apnsID.isEmpty ? newID() : slot.intake.apnsID
        if environment == .sandbox {
            let fields = [
                HTTP2Field(name: "apns-id", value: id, indexing: .never),
                HTTP2Field(name: "apns-unique-id", value: newID(), indexing: .never),
            ]
            http2.respond(slot: index, status: answer.status, fields: fields, body: answer.body)
        } else {
            // Sound: the session copies the value before the call returns.
            unsafe id.withUnsafeBytes { value in
                unsafe http2.respond(
                    slot: index, head: answer.head, varyingValue: value, body: answer.body)
            }
        }
        return answer.status
    }

    /// Answers that a token is gone, without an id of its own.
    mutating func answerGone(slot: Int, timestampMilliseconds: Int64, on http2: HTTP2Server) {
        writeGoneBody(timestampMilliseconds)
        // Sound: no varying value is given, so no pointer either.
        unsafe http2.respond(slot: slot, head: book.bareGone, body: goneBody)
    }

    /// In a buffer of its own, as a third of the answers to a probing pass may be such.
    private mutating func writeGoneBody(_ timestampMilliseconds: Int64) {
        goneBody.removeAll(keepingCapacity: true)
        goneBody += book.goneBodyStart
        JSONText.appendNumber(timestampMilliseconds, to: &goneBody)
        goneBody.append(UInt8(ascii: "}"))
    }

    private mutating func newID() -> [UInt8] {
        UUIDText.write(high: random.next(), low: random.next(), into: &ownID)
        return ownID
    }
}

/// SplitMix64: a small random generator whose seed can be printed and used again.
/// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
struct RandomStream: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }

    /// A number from 0 up to, not including, 1.
    mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
