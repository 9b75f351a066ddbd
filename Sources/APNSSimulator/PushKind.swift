internal import APNSProtocol

/// What a request is for, as far as the simulator can see.
package enum PushKind: Int, Sendable, CaseIterable {
    /// Anything but a probe.
    case send
    /// Push type background, priority 5 and exactly the payload that probes have.
    case probe

    init(of request: borrowing RequestIntake) {
        let isProbe =
            request.pushType == PushTypeRule.backgroundIndex && request.priority == 5
            && request.body == RequestHead.probePayload
        self = isProbe ? .probe : .send
    }
}
