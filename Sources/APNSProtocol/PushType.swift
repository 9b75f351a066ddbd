/// What a push is for, sent as `apns-push-type`; it must agree with the payload.
///
/// Apple defines more types; these are the two that address an app's ordinary device tokens.
/// *Source:* Apple, "Sending notification requests to APNs".
package enum PushType: String, Sendable, CaseIterable {
    /// Shows a text, plays a sound or sets the badge.
    case alert
    /// Wakes the app without telling the user; its priority must be 5.
    case background
}
