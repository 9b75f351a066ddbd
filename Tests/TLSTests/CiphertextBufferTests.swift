import Testing

@testable import TLS

@Suite struct CiphertextBufferTests {
    /// Against an array that does the same, with parts around and above the first capacity.
    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64]) func behavesLikeAnArray(seed: UInt64) {
        var random = Generator(state: seed)
        var buffer = CiphertextBuffer()
        defer { buffer.free() }
        var model: [UInt8] = []
        for round in 0..<2_000 {
            let length = Int.random(in: 0...(round % 10 == 0 ? 50_000 : 3_000), using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: length)
                bytes.withUnsafeBytes { bytes in
                    if let base = bytes.baseAddress { buffer.append(base, length) }
                }
                model += bytes
            case 2:
                let count = min(length, model.count)
                buffer.consume(count)
                model.removeFirst(count)
            default:
                var target = [UInt8](repeating: 0, count: max(1, length))
                let taken = target.withUnsafeMutableBytes { target in
                    target.baseAddress.map { buffer.take(into: $0, length) } ?? 0
                }
                #expect(Array(target[..<taken]) == Array(model.prefix(length)))
                model.removeFirst(taken)
            }
            #expect(buffer.count == model.count)
        }
        #expect(Array(buffer.bytes) == model, "seed \(seed)")
    }
}

/// A small generator whose sequence depends on nothing but its seed.
private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 33)
    }
}
