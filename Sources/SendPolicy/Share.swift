/// A share of a whole, exact to a millionth, so that comparing counts with it never rounds.
package struct Share: Sendable, Hashable, CustomStringConvertible {
    /// Millionths of the whole, 0 to 1,000,000.
    package let millionths: Int64

    /// A share; nil if it is out of range or no number.
    ///
    /// - Parameter fraction: 0 to 1; rounded to a millionth.
    package init?(_ fraction: Double) {
        guard fraction >= 0, fraction <= 1 else { return nil }
        // Adding a half rounds, as `rounded()` does; that one would link the C mathematics library.
        millionths = Int64(fraction * 1_000_000 + 0.5)
    }

    /// Whether so many are more than this share.
    ///
    /// - Parameters:
    ///   - part: How many, 0 to `whole`.
    ///   - whole: Of how many, below 9e12.
    /// - Returns: Whether `part / whole` is greater.
    @inlinable
    package func isExceeded(by part: Int, of whole: Int) -> Bool {
        Int64(part) * 1_000_000 > millionths * Int64(whole)
    }

    /// The share in percent, with at most one decimal: `20 %`, `0.5 %`.
    package var description: String { Self.percent(millionths, of: 1_000_000) }

    /// A ratio in percent with at most one decimal, rounded to the nearest.
    ///
    /// - Parameters:
    ///   - part: How many.
    ///   - whole: Of how many; 0 gives `0 %`.
    /// - Returns: As `48.2 %`.
    package static func percent(_ part: Int64, of whole: Int64) -> String {
        guard whole > 0 else { return "0 %" }
        let tenths = (part * 1000 + whole / 2) / whole
        return tenths % 10 == 0 ? "\(tenths / 10) %" : "\(tenths / 10).\(tenths % 10) %"
    }
}
