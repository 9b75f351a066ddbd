import Glibc
import LinuxIO
import Testing

@Suite struct OwnedDescriptorTests {
    /// The number may be in use again at once in a process with many threads, so the other end of
    /// the pipe tells whether this one is closed.
    @Test func closesWhenItsOwnerGoes() throws {
        let pipe = TestPipe()
        do {
            let writer = OwnedDescriptor(owning: pipe.giveWriter())
            #expect(writer.raw >= 0)
            #expect(!pipe.isAtEnd())
        }
        #expect(pipe.isAtEnd())
    }

    @Test func releaseLeavesItOpen() {
        let pipe = TestPipe()
        let raw = OwnedDescriptor(owning: pipe.giveWriter()).release()
        #expect(!pipe.isAtEnd())
        close(raw)
        #expect(pipe.isAtEnd())
    }
}

/// A pipe for tests whose reading end does not block.
final class TestPipe {
    let reader: Int32
    private(set) var writer: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0)
        (reader, writer) = (ends[0], ends[1])
        _ = fcntl(reader, F_SETFL, O_NONBLOCK)
    }

    deinit {
        close(reader)
        if writer >= 0 { close(writer) }
    }

    /// Leaves the writing end to the caller.
    func giveWriter() -> Int32 {
        defer { writer = -1 }
        return writer
    }

    func write() {
        var byte: UInt8 = 1
        precondition(Glibc.write(writer, &byte, 1) == 1)
    }

    func isAtEnd() -> Bool {
        var byte: UInt8 = 0
        return read(reader, &byte, 1) == 0
    }
}
