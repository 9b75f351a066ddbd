import Glibc
import LinuxIO
import Testing

@Suite struct FileContentsTests {
    private let directory = TemporaryDirectory()

    @Test func whatIsWrittenIsRead() throws {
        let path = directory.path("file")
        for bytes in [[UInt8](), [1, 2, 3], [UInt8](repeating: 9, count: 200_000)] {
            try FileContents.write(path, bytes, mode: 0o600)
            #expect(try FileContents.read(path, limitBytes: 200_000) == bytes)
        }
    }

    @Test(arguments: [(99, false), (100, true), (101, true)])
    func limitCountsBytes(limit: Int, isRead: Bool) throws {
        let path = directory.path("limited")
        try FileContents.write(path, [UInt8](repeating: 1, count: 100), mode: 0o600)
        if isRead {
            #expect(try FileContents.read(path, limitBytes: limit).count == 100)
        } else {
            let error = try #require(throws: SystemError.self) {
                try FileContents.read(path, limitBytes: limit)
            }
            #expect(error.description == "read \(path): it is larger than 99 bytes")
        }
    }

    @Test(arguments: [0o600, 0o640, 0o644] as [UInt32]) func modeIsExact(mode: UInt32) throws {
        let path = directory.path("mode")
        try FileContents.write(path, [], mode: mode)
        #expect(try FileContents.modeBits(path) == mode)
    }

    @Test func missingFileIsNamed() throws {
        let path = directory.path("missing")
        let error = try #require(throws: SystemError.self) {
            try FileContents.read(path, limitBytes: 1)
        }
        #expect(error.description == "open \(path): No such file or directory")
        #expect(!FileContents.exists(path))
    }

    // codedge-llc/pigeon#72: a key file that could not be read showed only as time-outs.
    @Test func directoryInPlaceOfAFileIsNamed() throws {
        let error = try #require(throws: SystemError.self) {
            try FileContents.read(directory.path(""), limitBytes: 1)
        }
        #expect(error.description.hasSuffix(": Is a directory"))
        #expect(error.code == EISDIR)
    }

    @Test(.disabled(if: geteuid() == 0, "root may read everything"))
    func unreadableFileIsNamed() throws {
        let path = directory.path("secret")
        try FileContents.write(path, [1], mode: 0)
        let error = try #require(throws: SystemError.self) {
            try FileContents.read(path, limitBytes: 1)
        }
        #expect(error.description == "open \(path): Permission denied")
    }

    @Test func failedWriteLeavesNothingBehind() throws {
        let path = directory.path("taken")
        try FileContents.makeDirectory("\(path)/inside", mode: 0o700)
        #expect(throws: SystemError.self) { try FileContents.write(path, [1], mode: 0o600) }
        #expect(try SignalThread.entries(directory.path("")).sorted() == ["taken"])
    }

    @Test func directoriesAreMadeWithTheirParents() throws {
        let path = directory.path("a/b/c")
        try FileContents.makeDirectory(path, mode: 0o700)
        try FileContents.makeDirectory(path, mode: 0o700)
        #expect(FileContents.exists(path))
        #expect(try FileContents.modeBits(path) == 0o700)
    }

    @Test func fileInTheWayOfADirectoryIsAnError() throws {
        let path = directory.path("file")
        try FileContents.write(path, [], mode: 0o600)
        let error = try #require(throws: SystemError.self) {
            try FileContents.makeDirectory(path, mode: 0o700)
        }
        #expect(error.description == "make directory \(path): File exists")
    }

    @Test func removingTwiceIsFine() throws {
        let path = directory.path("gone")
        try FileContents.write(path, [1], mode: 0o600)
        try FileContents.remove(path)
        try FileContents.remove(path)
        #expect(!FileContents.exists(path))
    }
}

/// A directory of one test's own, removed with it.
final class TemporaryDirectory: Sendable {
    /// For single files with names of their own.
    static let shared = TemporaryDirectory()

    private let root: String

    init() {
        var template = Array("/tmp/sortie-test-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil)
        root = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        _ = try? ChildProcess.run("rm", ["-rf", root], untilNanoseconds: nil)
    }

    func path(_ name: String) -> String { "\(root)/\(name)" }
}
