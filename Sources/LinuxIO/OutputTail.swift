internal import Glibc

/// The last part of what a child process writes: errors are told at the end.
struct OutputTail {
    private let bytesMax: Int
    private var bytes: [UInt8] = []

    init(bytesMax: Int) {
        self.bytesMax = bytesMax
    }

    /// What was kept, bytes that are no UTF-8 replaced.
    var text: String { String(decoding: bytes.suffix(bytesMax), as: UTF8.self) }

    /// Reads until `exit` becomes readable.
    ///
    /// - Parameters:
    ///   - descriptor: the non-blocking reading end of a pipe.
    ///   - exit: readable when the process that writes has ended.
    ///   - deadline: when to give up, in nanoseconds of `MonotonicClock`; nil waits for ever.
    /// - Returns: false when the deadline passed first.
    mutating func read(
        _ descriptor: Int32, until exit: Int32, untilNanoseconds deadline: Int64?
    ) -> Bool {
        var isOpen = true
        while true {
            let watched = isOpen ? descriptor : -1
            switch Readiness.wait(exit, or: watched, untilNanoseconds: deadline) {
            case .first: return true
            case .second: isOpen = drain(descriptor)
            case .deadline: return false
            }
        }
    }

    /// Reads what is there now; false when nobody will write any more.
    @discardableResult
    mutating func drain(_ descriptor: Int32) -> Bool {
        var chunk = [UInt8](repeating: 0, count: 16_384)
        while true {
            // Sound: the kernel writes at most the chunk's own length.
            let count = unsafe chunk.withUnsafeMutableBytes {
                unsafe Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            if count == 0 { return false }
            if count < 0 {
                if errno == EINTR { continue }
                return errno == EAGAIN
            }
            append(chunk[..<count])
        }
    }

    /// Keeps at most twice the limit, so that dropping the front costs little per byte.
    private mutating func append(_ chunk: ArraySlice<UInt8>) {
        bytes.append(contentsOf: chunk)
        if bytes.count > 2 * bytesMax { bytes.removeFirst(bytes.count - bytesMax) }
    }
}
