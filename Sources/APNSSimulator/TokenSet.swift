// A set of 63-bit token hashes by open addressing with linear probing. One word per token: the
// upper 63 bits are the hash, bit 0 says that the token came more than once; an empty slot is 0.
// At most three quarters full, doubled when fuller, so a token costs 11 to 21 bytes. Two of ten
// million different tokens share 63 bits with a probability of about 5 in a million.

/// Finds tokens that come more than once, in bounded memory.
struct TokenSet {
    private var slots: [UInt64] = []
    private let countMax: Int
    /// Different tokens held.
    private(set) var count = 0
    /// Tokens that came more than once.
    private(set) var repeatedCount = 0
    /// Arrivals of tokens that were not held because the set is full.
    private(set) var untrackedCount = 0

    /// An empty set.
    ///
    /// - Parameters:
    ///   - countMax: Different tokens held at most.
    ///   - countExpected: Tokens for which room is made at once, so that memory does not grow
    ///     later.
    init(countMax: Int, countExpected: Int = 0) {
        self.countMax = countMax
        while slots.count * 3 / 4 < min(countExpected, countMax) { grow() }
    }

    /// Adds a token.
    ///
    /// - Parameter hash: The token's hash; its lowest bit is not used.
    mutating func insert(_ hash: UInt64) {
        if count * 4 >= slots.count * 3 { grow() }
        let key = Self.key(hash)
        let index = Self.slot(of: key, in: slots)
        if slots[index] & ~1 == key {
            if slots[index] & 1 == 0 {
                slots[index] |= 1
                repeatedCount += 1
            }
        } else if count < countMax {
            slots[index] = key
            count += 1
        } else {
            untrackedCount += 1
        }
    }

    /// Zero marks an empty slot, so the one hash that would be zero stands for another.
    private static func key(_ hash: UInt64) -> UInt64 {
        let key = hash & ~1
        return key == 0 ? 2 : key
    }

    /// The slot that holds the key, or the empty one where it belongs.
    private static func slot(of key: UInt64, in slots: [UInt64]) -> Int {
        let mask = slots.count - 1
        var index = Int(truncatingIfNeeded: key >> 1) & mask
        while slots[index] != 0, slots[index] & ~1 != key { index = (index + 1) & mask }
        return index
    }

    private mutating func grow() {
        var larger = [UInt64](repeating: 0, count: max(1024, slots.count * 2))
        for slot in slots where slot != 0 {
            larger[Self.slot(of: slot & ~1, in: larger)] = slot
        }
        slots = larger
    }
}
