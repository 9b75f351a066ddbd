/// Finds a request's path in its header block, without keeping the dynamic table that everything
/// else in a block may need: clients do not index paths, which differ from request to request, so
/// a path stands in its block as a literal with a name out of the static table.
///
/// For a server that wants to know the path and nothing else. A block that holds its path in any
/// other way, or symbols whose code is longer than eight bits (a device's path has none), has none
/// for it. *Source:* RFC 7541, section 6.
///
/// Pure.
package struct RequestPathReader: Sendable {
    /// By the next eight bits: the symbol, shifted left by 8, and its length in bits; 0: its code
    /// is longer.
    private let symbols: [UInt16]

    /// The entries of the static table that are called `:path`.
    private static let pathNames = 4...5
    /// The longest string that is looked at.
    private static let stringBytesMax = 16_384

    /// Prepares the code.
    package init() {
        symbols = HuffmanCode.shortSymbols
    }

    /// Reads the path of a whole block.
    ///
    /// - Parameters:
    ///   - block: What the request's HEADERS and CONTINUATION frames hold, without padding.
    ///   - path: Replaced by the path, or emptied if there is none.
    package func read(_ block: Span<UInt8>, into path: inout [UInt8]) {
        path.removeAll(keepingCapacity: true)
        var position = 0
        while position < block.count {
            let first = block[position]
            if first & 0x80 != 0 {
                guard Self.integer(block, at: &position, prefixBits: 7) != nil else { return }
            } else if first & 0xE0 == 0x20 {
                guard Self.integer(block, at: &position, prefixBits: 5) != nil else { return }
            } else {
                let bits = first & 0x40 != 0 ? 6 : 4
                guard let name = Self.integer(block, at: &position, prefixBits: bits) else {
                    return
                }
                if name == 0, Self.string(block, at: &position) == nil { return }
                guard let value = Self.string(block, at: &position) else { return }
                if Self.pathNames.contains(name) {
                    decode(block, value, into: &path)
                    return
                }
            }
        }
    }

    private struct Text {
        let bytes: Range<Int>
        let isCoded: Bool
    }

    /// An integer whose first bits share a byte (section 5.1); nil if the block ends in it or it
    /// has no business in a request.
    private static func integer(
        _ block: Span<UInt8>, at position: inout Int, prefixBits: Int
    ) -> Int? {
        let mask = 1 << prefixBits - 1
        var value = Int(block[position]) & mask
        position += 1
        guard value == mask else { return value }
        for shift in stride(from: 0, through: 21, by: 7) {
            guard position < block.count else { return nil }
            let byte = Int(block[position])
            position += 1
            value += (byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }

    /// Where a string lies (section 5.2).
    private static func string(_ block: Span<UInt8>, at position: inout Int) -> Text? {
        guard position < block.count else { return nil }
        let isCoded = block[position] & 0x80 != 0
        guard let count = integer(block, at: &position, prefixBits: 7), count <= stringBytesMax,
            position + count <= block.count
        else { return nil }
        defer { position += count }
        return Text(bytes: position..<(position + count), isCoded: isCoded)
    }

    private func decode(_ block: Span<UInt8>, _ text: Text, into path: inout [UInt8]) {
        guard text.isCoded else {
            for index in text.bytes { path.append(block[index]) }
            return
        }
        var pending: UInt64 = 0
        var bits = 0
        var index = text.bytes.lowerBound
        while true {
            while bits <= 48, index < text.bytes.upperBound {
                pending = pending << 8 | UInt64(block[index])
                bits += 8
                index += 1
            }
            // What is left at the end is filled up with ones, and is no whole symbol.
            guard bits > 0 else { return }
            let next =
                bits >= 8
                ? Int(truncatingIfNeeded: pending >> UInt64(bits - 8)) & 0xFF
                : Int(truncatingIfNeeded: pending << UInt64(8 - bits)) & 0xFF | 0xFF >> bits
            let symbol = symbols[next]
            let length = Int(symbol & 0xFF)
            if length == 0 || length > bits {
                if bits >= 8 { path.removeAll(keepingCapacity: true) }
                return
            }
            path.append(UInt8(truncatingIfNeeded: symbol >> 8))
            bits -= length
        }
    }
}
