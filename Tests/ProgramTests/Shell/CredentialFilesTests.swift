import CampaignModel
import Glibc
import LinuxIO
import TLS
import TestSupport
import Testing

@testable import CommandLineTool

@Suite struct CredentialFilesTests {
    @Test(
        arguments: [
            (0o600, false), (0o400, false), (0o700, false), (0o611, false), (0o640, true),
            (0o604, true), (0o644, true), (0o660, true),
        ] as [(UInt32, Bool)])
    func readableByOthersIsToldByTheMode(mode: UInt32, isReadable: Bool) {
        #expect(CredentialFiles.isReadableByOthers(mode) == isReadable)
    }

    // codedge-llc/pigeon#72: wrong permissions showed as time-outs. The test may run as root, whom
    // no mode keeps out, so that one is tried by its number.
    @Test(arguments: [
        (ENOENT, "relative to the folder"), (EACCES, "must be able to read it"),
        (EISDIR, "name the file in it"), (EIO, ""), (0, ""),
    ])
    func eachCauseHasItsAdvice(code: Int32, piece: String) {
        let advice = CredentialFiles.advice(code)
        #expect(piece.isEmpty ? advice.isEmpty : advice.contains(piece))
    }

    private static func failure(_ name: String, in folder: String) throws -> CommandFailure {
        try #require(throws: CommandFailure.self) {
            try CredentialFiles.providerCredential(
                Configuration.KeyFile(file: name, keyID: "ABC123DEFG", teamID: "DEF123GHIJ"),
                Configuration(directory: folder), nil)
        }
    }

    @Test func unreadableFilesAreNamedWithTheirCause() throws {
        try withTemporaryDirectory { folder in
            let missing = try Self.failure("none.p8", in: folder)
            #expect(missing.code == .badConfiguration)
            #expect(missing.message.contains("\(folder)/none.p8: No such file or directory; "))
            let directory = try Self.failure(".", in: folder)
            #expect(directory.message.contains("\(folder)/.: Is a directory; name the file"))
            try FileContents.write(
                "\(folder)/large.p8", [UInt8](repeating: 0x41, count: 65_537), mode: 0o600)
            let large = try Self.failure("large.p8", in: folder)
            #expect(large.message.contains("it is larger than 65536 bytes"))
            try FileContents.write("\(folder)/closed.p8", [0x41], mode: 0)
            if geteuid() != 0 {
                let closed = try Self.failure("closed.p8", in: folder)
                #expect(closed.message.contains("Permission denied; the user"))
            }
        }
    }
}
