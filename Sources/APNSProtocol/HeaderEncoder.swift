/// Who encodes the header blocks of requests; the words are those of the configuration file.
package enum HeaderEncoder: String, Sendable, CaseIterable {
    /// sortie itself: every field but the path is sent once for each connection, the provider token
    /// too, and costs a byte from then on.
    case own
    /// The library nghttp2, which sends the provider token with every request.
    case nghttp2
}
