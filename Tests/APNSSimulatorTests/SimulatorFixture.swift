import APNSProtocol
import APNSSimulator
import LinuxIO
import TLS

/// A running simulator in a directory of its own, with what a sender needs.
final class SimulatorFixture {
    let credentials: SimulatorCredentials
    let simulator: Simulator
    let port: UInt16
    private let directory: String
    private var senders: [TestSender] = []

    init(_ change: (inout SimulatorConfiguration, SimulatorCredentials) -> Void = { _, _ in })
        throws
    {
        directory = "/tmp/simulator-tests-\(ProcessFacts.processID)-\(SecureRandom.uint64())"
        credentials = try SimulatorCredentials.make(in: directory)
        var configuration = SimulatorConfiguration()
        configuration.topics = [RequestFixture.topic]
        change(&configuration, credentials)
        simulator = try Simulator(configuration, certificates: credentials.certificates)
        port = try simulator.start()
    }

    deinit {
        for sender in senders { sender.end() }
        _ = simulator.stop()
        try? FileContents.remove(credentials.keyFile)
        try? FileContents.remove(credentials.authorityFile)
        try? FileContents.remove(directory)
    }

    func sender() throws -> TestSender {
        let sender = try TestSender(port: port, authorityFile: credentials.authorityFile)
        senders.append(sender)
        return sender
    }

    /// A signed `authorization` value.
    func authorization(
        ageSeconds: Int64 = 0, keyID: String? = nil, teamID: String? = nil
    ) throws -> [UInt8] {
        let pem = try FileContents.read(credentials.keyFile, limitBytes: 10_000)
        let key = try SigningKey(pem: pem, source: credentials.keyFile)
        let identity = ProviderIdentity(
            keyID: keyID ?? credentials.keyID, teamID: teamID ?? credentials.teamID)
        return try ProviderToken.make(
            for: identity, issuedAtSeconds: WallClock.microseconds() / 1_000_000 - ageSeconds,
            nowNanoseconds: 0, sign: key.signES256
        ).headerValue
    }
}
