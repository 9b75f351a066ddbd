import Glibc
import LinuxIO
import Testing

@Suite struct LockedFileTests {
    private let directory = TemporaryDirectory()

    private func append(_ path: String, _ bytes: [UInt8]) throws {
        guard let file = try LockedFile.open(path, creatingWithMode: 0o600) else {
            Issue.record("held by another")
            return
        }
        try file.append(bytes)
    }

    @Test func whatIsAppendedIsReadInOrder() throws {
        let path = directory.path("log")
        var expected: [UInt8] = []
        for size in [0, 1, 65_535, 65_536, 65_537] {
            let bytes = [UInt8](repeating: UInt8(size & 0xFF), count: size)
            try append(path, bytes)
            expected += bytes
        }
        #expect(try FileContents.read(path, limitBytes: 1 << 20) == expected)
        #expect(try FileContents.modeBits(path) == 0o600)
        #expect(try read(path, limitBytes: expected.count) == expected)
        #expect(throws: SystemError.self) {
            try read(path, limitBytes: expected.count - 1)
        }
    }

    private func read(_ path: String, limitBytes: Int) throws -> [UInt8]? {
        let file = try LockedFile.open(path, creatingWithMode: nil)
        return try file?.read(limitBytes: limitBytes)
    }

    /// Whether the file can be had at this moment.
    private func isFree(_ path: String, creatingWithMode mode: UInt32? = nil) throws -> Bool {
        let file = try LockedFile.open(path, creatingWithMode: mode)
        return file != nil
    }

    @Test func aFileThatIsHeldIsNotToBeHad() throws {
        let path = directory.path("held")
        try append(path, [1])
        try hold(path)
        #expect(try isFree(path))
    }

    private func hold(_ path: String) throws {
        let file = try LockedFile.open(path, creatingWithMode: nil)
        #expect(try !isFree(path))
        #expect(try !isFree(path, creatingWithMode: 0o600))
        try file?.append([2])
    }

    @Test func aRemovedFileIsMadeAnew() throws {
        let path = directory.path("removed")
        try append(path, [1])
        try LockedFile.open(path, creatingWithMode: nil)?.remove()
        #expect(!FileContents.exists(path))
        try append(path, [2])
        #expect(try FileContents.read(path, limitBytes: 10) == [2])
    }

    @Test func missingFilesAndLinksAreErrors() throws {
        let path = directory.path("missing")
        #expect(throws: SystemError.self) { try isFree(path) }
        let link = directory.path("link")
        symlink("/etc/passwd", link)
        #expect(throws: SystemError.self) { try isFree(link, creatingWithMode: 0o600) }
    }

    @Test func namesAreListedInOrder() throws {
        #expect(try FileContents.names(in: directory.path("nowhere")) == [])
        let folder = directory.path("folder")
        try FileContents.makeDirectory(folder, mode: 0o700)
        for name in ["b", "a", ".c"] {
            try FileContents.write("\(folder)/\(name)", [], mode: 0o600)
        }
        #expect(try FileContents.names(in: folder) == [".c", "a", "b"])
        #expect(throws: SystemError.self) { try FileContents.names(in: "\(folder)/a") }
    }

    @Test func aFullDiskIsToldByName() throws {
        let error = #expect(throws: SystemError.self) { try append("/dev/full", [1]) }
        #expect(error?.description == "append to /dev/full: No space left on device")
    }
}
