/// What a worker has counted: plain numbers, copied for a snapshot.
struct WorkerCounters: Sendable {
    /// An answer that a behaviour gave in place of the judge.
    struct CannedAnswer: Sendable, Hashable {
        let status: Int
        let reason: String
        let kind: PushKind
    }

    /// Connections described one by one; beyond, they only count in the sums.
    private static let connectionsKept = 256
    private static let outcomes = Refusal.allCases.count + 1

    private(set) var requests = 0
    private(set) var headerBytes = 0
    private(set) var bodyBytes = 0
    /// Of connections that were noted.
    private(set) var headerBlockBytes = 0
    var requestsIgnored = 0
    private(set) var streamsRefused = 0
    private(set) var streamsReset = 0
    /// Streams that the client or the end of the connection closed before the answer.
    var streamsAbandoned = 0
    var connectionsOpened = 0
    private(set) var connections: [ConnectionStatistics] = []
    private(set) var requestsInOneSecondMax = 0
    private(set) var streamsOpenMax = 0
    private(set) var cannedAnswers: [CannedAnswer: Int] = [:]
    /// Answers by kind and ruling: for each kind first the accepted, then each refusal.
    private var answers = [Int](repeating: 0, count: outcomes * PushKind.allCases.count)

    /// Counts a request when it is complete.
    mutating func noteRequest(headerBytes: Int, bodyBytes: Int) {
        requests &+= 1
        self.headerBytes &+= headerBytes
        self.bodyBytes &+= bodyBytes
    }

    /// Counts requests that were answered with 200, and those of them that were not but with 410.
    mutating func noteAnswered(_ count: Int, ofWhichGone gone: Int, bodyBytes: Int) {
        requests &+= count
        self.bodyBytes &+= bodyBytes
        let first = PushKind.send.rawValue * Self.outcomes
        answers[first] &+= count - gone
        answers[first + Refusal.unregistered.rawValue + 1] &+= gone
    }

    /// Counts a judged answer; `refusal` nil is a 200.
    mutating func noteAnswer(_ refusal: Refusal?, kind: PushKind) {
        answers[kind.rawValue * Self.outcomes + (refusal.map { $0.rawValue + 1 } ?? 0)] &+= 1
    }

    /// Counts a stream reset on purpose; 7 is REFUSED_STREAM (RFC 9113, section 7).
    mutating func noteReset(code: UInt32) {
        if code == 7 {
            streamsRefused += 1
        } else {
            streamsReset += 1
        }
    }

    /// Counts an answer that a behaviour gave.
    mutating func noteCannedAnswer(_ answer: CannedAnswer) {
        cannedAnswers[answer, default: 0] += 1
    }

    /// Adds what is known of a connection, when it ends or for a snapshot.
    mutating func note(_ connection: ConnectionStatistics) {
        requestsInOneSecondMax = max(requestsInOneSecondMax, connection.requestsInOneSecondMax)
        streamsOpenMax = max(streamsOpenMax, connection.streamsOpenMax)
        headerBlockBytes &+= connection.headerBlockBytes
        if connections.count < Self.connectionsKept { connections.append(connection) }
    }

    /// How often an answer was given; `refusal` nil is a 200.
    func count(_ refusal: Refusal?, kind: PushKind) -> Int {
        answers[kind.rawValue * Self.outcomes + (refusal.map { $0.rawValue + 1 } ?? 0)]
    }
}
