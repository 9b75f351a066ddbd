internal import CampaignStore

/// The sizes and times of the record protocol: what a worker holds, for how long, and how far it
/// may run ahead of what is recorded. The defaults suit; docs/operations.md says what each one
/// costs.
package struct RunTuning: Sendable, Equatable {
    /// How long a worker holds what it has leased without a sign of life, in seconds; 4 to 600.
    package var leaseSeconds = Store.leaseSeconds
    /// Recipients in a slice; 100 to 1,000,000. Decided when the audience is frozen.
    package var sliceSize = 10_000
    /// Recipients announced and not yet on the wire, at most; 20 to 100,000. This is the size of
    /// the doubt that a crash leaves, beside what is on the wire and not yet recorded.
    package var windowMax = 20_000
    /// A transaction is worth it with so many outcomes; 100 to 50,000 …
    package var batchRows = 10_000
    /// … or when the oldest has waited so long, in milliseconds; 10 to 5,000.
    package var batchMilliseconds = 200
    /// How long a run waits for a database that is away, in seconds; 1 to 3,600. Then it stops,
    /// and what was sent stays safe.
    package var databasePatienceSeconds = 60
    /// Threads that send, 1 to 64 and no more than connections; nil: as many as suit the machine.
    package var eventLoops: Int?

    /// The defaults.
    package init() {}
}
