/// How eagerly APNs delivers, sent as `apns-priority`; the raw value is what goes on the wire.
///
/// *Source:* Apple, "Sending notification requests to APNs".
package enum PushPriority: Int, Sendable, CaseIterable {
    /// At once. An error for background pushes.
    case immediate = 10
    /// When the device's power allows; may be grouped or throttled.
    case powerAware = 5
    /// Power first: never wakes the device.
    case lowest = 1
}
