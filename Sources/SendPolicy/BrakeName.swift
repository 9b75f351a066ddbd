/// The brakes that a person may release for one start of a run.
///
/// Refused credentials stop a run too, at the first answer and without a threshold: nothing could
/// be sent past them, so there is nothing to release.
package enum BrakeName: String, Sendable, CaseIterable, CustomStringConvertible {
    /// Tokens that APNs calls bad, or of another app.
    case invalid
    /// Tokens that APNs calls gone, in the preflight.
    case gone
    /// Rejections among the recipients that go first.
    case canary
    /// Requests that were never answered.
    case unknown
    /// Answers of servers in trouble, within a minute.
    case errors

    /// The name in the campaign file.
    package var description: String { rawValue }

    /// Where its threshold stands in the campaign file.
    package var setting: String {
        self == .canary ? "canary stop_if_rejected" : "stop_if \(rawValue)"
    }
}
