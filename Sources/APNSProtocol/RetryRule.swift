/// Whether, and how, a recipient may be tried again after a reason.
///
/// *Source:* Apple, "Handling notification responses from APNs": 5xx after 15 minutes; most 4xx
/// only once the fault is fixed; some never.
package enum RetryRule: String, Sendable, CaseIterable {
    /// Never: the same request can only get the same answer.
    case never
    /// Not before a person has changed the campaign, the configuration or the program.
    case afterFix
    /// After a quarter of an hour or more.
    case later
    /// After a pause that grows, for this device alone.
    case deviceLater
    /// Soon, on a new connection.
    case newConnection
    /// Once a new provider token is there.
    case newCredential
    /// After a pause, with the provider token that is already there.
    case sameCredential
}
