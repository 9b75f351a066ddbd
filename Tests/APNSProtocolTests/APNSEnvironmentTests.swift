import APNSProtocol
import Testing

@Suite struct APNSEnvironmentTests {
    @Test func theHostsAreApples() {
        #expect(APNSEnvironment.production.defaultHost == "api.push.apple.com")
        #expect(APNSEnvironment.sandbox.defaultHost == "api.sandbox.push.apple.com")
        #expect(APNSEnvironment.defaultPort == 443)
    }

    @Test func eachIsTheOthersOther() {
        #expect(APNSEnvironment.production.other == .sandbox)
        #expect(APNSEnvironment.sandbox.other == .production)
    }
}
