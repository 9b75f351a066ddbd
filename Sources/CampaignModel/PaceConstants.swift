package import SendPolicy

extension Rate {
    /// A rate that stands in this program as a constant.
    ///
    /// - Parameter count: events per second, 1 to 1,000,000.
    /// - Returns: the rate.
    package static func wholePerSecond(_ count: Int) -> Rate {
        guard let rate = perSecond(count) else { preconditionFailure("rate out of range") }
        return rate
    }
}

extension Share {
    /// A share that stands in this program as a constant.
    ///
    /// - Parameter percent: 0 to 100.
    /// - Returns: the share.
    package static func percent(_ percent: Int) -> Share {
        guard let share = Share(Double(percent) / 100) else {
            preconditionFailure("share out of range")
        }
        return share
    }
}
