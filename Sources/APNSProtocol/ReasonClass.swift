/// What a reason is about, and so who has to do something.
package enum ReasonClass: String, Sendable, CaseIterable {
    /// This device token, and no other.
    case token
    /// The campaign: every recipient would get the same answer.
    case campaign
    /// The key, its team, or the token signed with it.
    case credential
    /// Apple's side, for the moment.
    case transient
    /// Too many pushes to this one device lately.
    case device
    /// A fault of this program.
    case ours
}
