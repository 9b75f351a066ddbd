import Glibc
@testable import LinuxIO
import Testing

@Suite struct SystemErrorTests {
    @Test func textNamesCallSubjectAndCause() {
        let error = SystemError("connect to", "127.0.0.1:443", code: ECONNREFUSED)
        #expect(error.description == "connect to 127.0.0.1:443: Connection refused")
        #expect(error.code == ECONNREFUSED)
    }

    @Test func unknownCodesKeepTheirNumber() {
        #expect(SystemError("open", "x", code: 9_999).description == "open x: error 9999")
    }

    @Test(arguments: [0, 1, 3]) func interruptedCallsAreRepeated(times: Int) throws {
        var calls = 0
        let answer = try systemCall("read", "a file") {
            calls += 1
            errno = EINTR
            return calls > times ? 17 : -1
        }
        #expect(answer == 17)
        #expect(calls == times + 1)
    }

    @Test func failedCallsAreNotRepeated() throws {
        var calls = 0
        let error = try #require(throws: SystemError.self) {
            try systemCall("read", "a file") {
                calls += 1
                errno = EIO
                return -1
            }
        }
        #expect(error.description == "read a file: Input/output error")
        #expect(calls == 1)
    }

    @Test func causesWithoutACodeAreWords() {
        let error = SystemError("resolve", "push.example", explanation: "no such host")
        #expect(error.description == "resolve push.example: no such host")
        #expect(error.code == 0)
    }
}
