import Testing

@testable import Wire

@Suite struct TunnelAnswerTests {
    private func read(_ text: String, pieces: Int) -> TunnelAnswer.Progress {
        var answer = TunnelAnswer()
        var progress = TunnelAnswer.Progress.unfinished
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let piece = Array(bytes.prefix(pieces))
            bytes = bytes.dropFirst(pieces)
            progress = piece.withUnsafeBytes { answer.take($0) }
            guard progress == .unfinished else { break }
        }
        return progress
    }

    static let answers: [(String, TunnelAnswer.Progress)] = [
        ("HTTP/1.1 200 Connection established\r\n\r\n", .opened(rest: [])),
        ("HTTP/1.0 200 OK\r\nContent-Length: 5\r\nVia: x\r\n\r\n", .opened(rest: [])),
        ("HTTP/1.1 299\n\n", .opened(rest: [])),
        ("HTTP/1.1 200 \r\n\r\n", .opened(rest: [])),
        ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n", .opened(rest: [])),
        ("HTTP/1.1 199 x\r\n\r\n", .unfinished),
        ("HTTP/1.1 200 OK\r\nVia: x\r\n", .unfinished),
        (
            "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n",
            .failed(.refused(status: 407, reason: "Proxy Authentication Required"))
        ),
        ("HTTP/1.1 301 Moved\r\n\r\n", .failed(.refused(status: 301, reason: "Moved"))),
        ("HTTP/1.1 300\r\n\r\n", .failed(.refused(status: 300, reason: ""))),
        (
            "HTTP/1.1 502 a\u{1B}[31mb\r\n\r\n",
            .failed(.refused(status: 502, reason: "a?[31mb"))
        ),
        (
            "HTTP/1.1 502 \(String(repeating: "x", count: 200))\r\n\r\n",
            .failed(.refused(status: 502, reason: String(repeating: "x", count: 80)))
        ),
        ("HTTP/2 200\r\n\r\n", .failed(.notHTTP)),
        ("HTTP/1.1 2000 OK\r\n\r\n", .failed(.notHTTP)),
        ("HTTP/1.1 -20 OK\r\n\r\n", .failed(.notHTTP)),
        ("HTTP/1.1\r\n\r\n", .failed(.notHTTP)),
        ("HTTP/1.\r\n\r\n", .failed(.notHTTP)),
        ("HTTP/1.1 099 x\r\n\r\n", .failed(.notHTTP)),
        ("SSH-2.0-OpenSSH\r\n", .failed(.notHTTP)),
        ("\r\n", .failed(.notHTTP)),
    ]

    @Test(arguments: answers.indices, [1, 3, 1_000])
    func theStatusDecides(index: Int, pieces: Int) {
        let (text, wanted) = Self.answers[index]
        #expect(read(text, pieces: pieces) == wanted, "\(text)")
    }

    @Test func whatFollowsTheHeadIsTheServers() {
        #expect(read("HTTP/1.1 200 OK\r\n\r\nabc", pieces: 99) == .opened(rest: Array("abc".utf8)))
    }

    /// The bound is that of the whole head, however it arrives.
    @Test(arguments: [-1, 0, 1], [1_000, 100_000])
    func aHeadHasItsBound(excess: Int, pieces: Int) {
        let start = "HTTP/1.1 200 OK\r\nX: "
        let size = TunnelAnswer.headBytesMax + excess - start.utf8.count - 4
        let text = start + String(repeating: "x", count: size) + "\r\n\r\n"
        let wanted: TunnelAnswer.Progress =
            excess > 0 ? .failed(.answerTooLong) : .opened(rest: [])
        #expect(read(text, pieces: pieces) == wanted)
    }

    @Test func interimAnswersWithoutEndAreTooLong() {
        let text = String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 1_000)
        #expect(read(text, pieces: 64) == .failed(.answerTooLong))
    }
}
