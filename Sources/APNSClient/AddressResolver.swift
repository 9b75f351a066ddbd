internal import LinuxIO

/// Looks a host's addresses up without blocking the loop: each look-up runs on a thread of its own,
/// of which there are at most as many as connections. Nothing is cached, because APNs asks for
/// fresh look-ups (Apple, Sending notification requests to APNs).
///
/// *Thread*: the loop's, but for the look-up itself.
final class AddressResolver {
    struct Answer: Sendable {
        let connection: Int
        let result: Result<[SocketAddress], SystemError>
    }

    private let host: String
    private let port: UInt16
    private let lookUp: AddressLookUp
    private let waker: Waker
    private let answers: Answers

    private final class Answers: Sendable {
        let state = Monitor<[Answer]>([])
    }

    init(host: String, port: UInt16, lookUp: @escaping AddressLookUp, waker: Waker) {
        self.host = host
        self.port = port
        self.lookUp = lookUp
        self.waker = waker
        answers = Answers()
    }

    /// Starts a look-up for a connection; the answer comes out of ``take()`` after a wake-up.
    func resolve(connection: Int) {
        let (host, port, lookUp, waker, answers) = (host, port, lookUp, waker, answers)
        do {
            // Nobody joins the look-up: its answer is all that is wanted of it.
            _ = try WorkerThread.start(name: "sortie-dns") {
                let result = Result { () throws(SystemError) in
                    try lookUp(host, port)
                }
                answers.state.withLock {
                    $0.append(Answer(connection: connection, result: result))
                }
                waker.wake()
            }
        } catch {
            answers.state.withLock {
                $0.append(Answer(connection: connection, result: .failure(error)))
            }
            waker.wake()
        }
    }

    /// The answers that have come.
    func take() -> [Answer] {
        answers.state.withLock { state in
            guard !state.isEmpty else { return [] }
            defer { state.removeAll() }
            return state
        }
    }
}
