import APNSProtocol
import Testing

@Suite struct HeaderFieldTests {
    @Test(arguments: ["", "plain", "with a blank", "weekend-é", "!~"])
    func aFitValueIsKept(_ value: String) {
        #expect(HeaderField(name: "x", value: [UInt8](value.utf8)).value == [UInt8](value.utf8))
    }

    @Test func aLineBreakNeverReachesTheWire() async {
        await #expect(processExitsWith: .failure) {
            _ = HeaderField(name: "apns-topic", value: [UInt8]("a.b\r\nx-more: 1".utf8))
        }
    }
}
