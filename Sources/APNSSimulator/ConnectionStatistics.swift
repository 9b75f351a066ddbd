/// What the simulator saw on one connection.
package struct ConnectionStatistics: Sendable, Equatable {
    /// 1 for the first connection accepted, and so on.
    package let number: Int
    /// Complete requests.
    package let requests: Int
    /// What the header fields of its requests took on the wire, compressed.
    package let headerBlockBytes: Int
    /// The most requests that arrived within any one second; see `ArrivalWindow` for how exact.
    package let requestsInOneSecondMax: Int
    /// The most streams open at once.
    package let streamsOpenMax: Int
    /// Nanoseconds between the first and the last request.
    package let activeNanoseconds: Int64

    /// Mean rate between the first and the last request, in requests per second; 0 for fewer than
    /// two requests.
    package var requestsPerSecond: Double {
        guard requests > 1, activeNanoseconds > 0 else { return 0 }
        return Double(requests - 1) * 1e9 / Double(activeNanoseconds)
    }
}
