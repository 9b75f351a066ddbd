/// A proxy's answer to CONNECT, read as it arrives.
///
/// Only the status line counts: with a 2xx the tunnel begins right after the empty line that ends
/// the head, whatever the fields say of a length (RFC 9110, section 9.3.6). Interim answers (1xx)
/// are passed over. What can't become an answer of HTTP/1 is told as soon as it shows, so that
/// nobody waits for the rest of it.
struct TunnelAnswer {
    enum Progress: Equatable {
        case unfinished
        /// The tunnel is open; `rest` is what the server sent through it already.
        case opened(rest: [UInt8])
        case failed(TunnelFault.Cause)
    }

    /// 8 KiB for all heads together: what common servers allow for one.
    static let headBytesMax = 8 * 1024
    /// What is shown of a reason, in bytes.
    private static let reasonBytesMax = 80
    private static let protocolName = Array("HTTP/1.".utf8)

    private var bytes: [UInt8] = []
    /// The bytes before this were searched for the head's end already.
    private var searched = 0
    /// Interim heads count too, or a proxy could send them for ever.
    private var headBytesLeft = Self.headBytesMax

    /// Takes what arrived.
    ///
    /// - Parameter arrived: the next bytes; a read's worth.
    /// - Returns: how far the answer is; after anything but `unfinished` it is over.
    mutating func take(_ arrived: UnsafeRawBufferPointer) -> Progress {
        // Sound: append copies what is lent for the call.
        unsafe bytes.append(contentsOf: arrived)
        while true {
            guard bytes.starts(with: Self.protocolName.prefix(bytes.count)) else {
                return .failed(.notHTTP)
            }
            guard let end = headEnd(), end <= headBytesLeft else {
                return bytes.count >= headBytesLeft ? .failed(.answerTooLong) : .unfinished
            }
            guard let (status, reason) = Self.statusLine(bytes[..<end]) else {
                return .failed(.notHTTP)
            }
            switch status {
            case 200..<300: return .opened(rest: Array(bytes[end...]))
            case 100..<200:
                bytes.removeFirst(end)
                searched = 0
                headBytesLeft -= end
            default: return .failed(.refused(status: status, reason: reason))
            }
        }
    }

    /// Where the head is over: after an empty line. Lines may end without CR (RFC 9112, section
    /// 2.2).
    private mutating func headEnd() -> Int? {
        let lineFeed = UInt8(ascii: "\n")
        let carriageReturn = UInt8(ascii: "\r")
        for index in searched..<bytes.count where bytes[index] == lineFeed {
            let before = bytes[..<index]
            let line = before.last == carriageReturn ? before.dropLast() : before
            if line.last == lineFeed { return index + 1 }
        }
        searched = bytes.count
        return nil
    }

    /// `HTTP/1.1 407 Proxy Authentication Required`; nil if it has another form.
    private static func statusLine(_ head: ArraySlice<UInt8>) -> (status: Int, reason: String)? {
        let line = head.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
        let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
        guard words.count >= 2, words[0].count == protocolName.count + 1, words[1].count == 3,
            let status = Int(String(decoding: words[1], as: UTF8.self)), status >= 100
        else { return nil }
        return (status, words.count == 3 ? shown(words[2]) : "")
    }

    /// A reason fit for a message: printable ASCII, not too long.
    private static func shown(_ reason: ArraySlice<UInt8>) -> String {
        let printable = UInt8(ascii: " ")...UInt8(ascii: "~")
        let safe = reason.prefix(reasonBytesMax).map { byte in
            printable.contains(byte) ? byte : UInt8(ascii: "?")
        }
        return String(decoding: safe, as: UTF8.self)
    }
}
