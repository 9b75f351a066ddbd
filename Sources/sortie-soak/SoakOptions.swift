internal import APNSProtocol
internal import TLS

/// What the command line asks for.
struct SoakOptions {
    /// Requests to send, at least 1,000.
    var requests = 2_000_000
    /// Connections of the client, 1 to 64.
    var connections = 8
    /// Of everything drawn at random.
    var seed: UInt64

    /// Who encodes the header blocks of requests.
    var headerEncoder = HeaderEncoder.own

    static let usage = """
        usage: soak [--requests N] [--connections N] [--seed S] [--header-encoder own|nghttp2]
        """

    /// Reads the arguments; nil if they make no sense.
    ///
    /// - Parameter arguments: Without the program's name.
    init?(_ arguments: [String]) {
        seed = SecureRandom.uint64() >> 32
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard let text = rest.popFirst() else { return nil }
            if name == "--header-encoder" {
                guard let encoder = HeaderEncoder(rawValue: text) else { return nil }
                headerEncoder = encoder
                continue
            }
            guard let value = UInt64(text) else { return nil }
            switch name {
            case "--requests" where (1_000...1_000_000_000).contains(value):
                requests = Int(value)
            case "--connections" where (1...64).contains(value): connections = Int(value)
            case "--seed": seed = value
            default: return nil
            }
        }
    }
}
