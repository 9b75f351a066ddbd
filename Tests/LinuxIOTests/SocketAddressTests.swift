import LinuxIO
import Testing

@Suite struct SocketAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:443"), ("::1", "[::1]:443"),
        ("2001:db8::17", "[2001:db8::17]:443"), ("255.255.255.255", "255.255.255.255:443"),
    ])
    func literalsResolveToThemselves(literal: String, text: String) throws {
        let addresses = try SocketAddress.resolve(host: literal, port: 443)
        #expect(addresses.map(\.description) == [text])
        #expect(addresses.map(\.host) == [literal])
    }

    @Test(arguments: [UInt16(0), 1, 443, 65_535]) func portIsKept(port: UInt16) throws {
        #expect(try SocketAddress.resolve(host: "127.0.0.1", port: port).first?.port == port)
    }

    @Test func localhostIsThisMachine() throws {
        let hosts = try SocketAddress.resolve(host: "localhost", port: 1).map(\.host)
        #expect(hosts.contains("127.0.0.1") || hosts.contains("::1"))
        #expect(Set(hosts).count == hosts.count)
    }

    @Test(arguments: ["300.1.1.1.", "two..dots", "a b"])
    func unknownHostsAreNamed(host: String) throws {
        let error = try #require(throws: SystemError.self) {
            try SocketAddress.resolve(host: host, port: 443)
        }
        #expect(error.description == "resolve \(host): no such host")
    }

    @Test func sameAddressesAreEqual() throws {
        let first = try SocketAddress.resolve(host: "::1", port: 1)
        #expect(first == (try SocketAddress.resolve(host: "0:0:0:0:0:0:0:1", port: 1)))
        #expect(first != (try SocketAddress.resolve(host: "::1", port: 2)))
    }
}
