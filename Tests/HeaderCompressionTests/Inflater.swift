import CNGHTTP2
import HeaderCompression

/// nghttp2's decoder of header blocks, as a peer would use it.
final class Inflater {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// A field as it was decoded.
    struct Field: Equatable {
        var name: [UInt8]
        var value: [UInt8]
        var isNeverIndexed = false
    }

    private var inflater: OpaquePointer?

    init() { nghttp2_hd_inflate_new(&inflater) }

    deinit { nghttp2_hd_inflate_del(inflater) }

    /// The peer's SETTINGS_HEADER_TABLE_SIZE.
    func limitTable(toBytes bytes: Int) {
        nghttp2_hd_inflate_change_table_size(inflater, bytes)
    }

    /// How many entries its table has.
    var tableEntries: Int { nghttp2_hd_inflate_get_num_table_entries(inflater) - 61 }

    func decode(_ block: [UInt8]) throws -> [Field] {
        var fields: [Field] = []
        var rest = block[...]
        while true {
            var pair = nghttp2_nv()
            var flags: Int32 = 0
            let used = rest.withUnsafeBufferPointer { bytes in
                nghttp2_hd_inflate_hd2(inflater, &pair, &flags, bytes.baseAddress, bytes.count, 1)
            }
            guard used >= 0 else {
                throw Failure(description: String(cString: nghttp2_strerror(Int32(used))))
            }
            rest = rest.dropFirst(used)
            if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
                fields.append(
                    Field(
                        name: Array(UnsafeBufferPointer(start: pair.name, count: pair.namelen)),
                        value: Array(UnsafeBufferPointer(start: pair.value, count: pair.valuelen)),
                        isNeverIndexed: pair.flags & UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) != 0))
            }
            if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
                nghttp2_hd_inflate_end_headers(inflater)
                break
            }
        }
        guard rest.isEmpty else { throw Failure(description: "\(rest.count) bytes are left over") }
        return fields
    }
}

/// An encoder and its peer.
struct Pair {
    let encoder = RequestBlockEncoder()
    let inflater = Inflater()
    private(set) var leading: [BlockField] = []
    private(set) var trailing: [BlockField] = []

    /// A pair with the fields of a push.
    init(authorization: String? = "bearer \(String(repeating: "eyJh.bGci", count: 20))") {
        use(trailing: Self.trailing(authorization: authorization))
    }

    static func trailing(authorization: String?) -> [BlockField] {
        var fields = [
            field("apns-topic", "com.example.shop"), field("apns-push-type", "alert"),
            field("apns-priority", "10"), field("apns-expiration", "1798000000"),
            field("apns-collapse-id", "weekend-sale"),
        ]
        if let authorization { fields.append(field("authorization", authorization)) }
        return fields
    }

    static func field(_ name: String, _ value: String) -> BlockField {
        BlockField(name: Array(name.utf8), value: Array(value.utf8))
    }

    mutating func use(trailing: [BlockField]) {
        leading = [
            Self.field(":method", "POST"), Self.field(":scheme", "https"),
            Self.field(":authority", "api.push.apple.com"),
        ]
        self.trailing = trailing
        encoder.use(leading: leading, trailing: trailing)
    }

    mutating func limitTable(toBytes bytes: Int) {
        inflater.limitTable(toBytes: bytes)
        encoder.limitTable(toBytes: bytes)
    }

    /// The next block for a path.
    mutating func encode(_ path: [UInt8]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 3 + encoder.roomBytes(pathCount: path.count))
        var target = bytes.mutableSpan
        let end = encoder.encode(path: path.span, into: &target, at: 3)
        return Array(bytes[3..<end])
    }

    mutating func encode(_ path: String) -> [UInt8] { encode(Array(path.utf8)) }

    /// The fields that the peer has to see.
    func expected(_ path: [UInt8]) -> [Inflater.Field] {
        let pathField = BlockField(name: Array(":path".utf8), value: path)
        return (leading + [pathField] + trailing).map {
            Inflater.Field(name: $0.name, value: $0.value, isNeverIndexed: $0.isNeverIndexed)
        }
    }
}
