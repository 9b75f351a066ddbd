/// A rule that the model database breaks on purpose, to see that the checks notice.
package enum ModelFault: String, Sendable, CaseIterable {
    /// A worker that has ended may still record.
    case forgetsFence
    /// An eviction frees what the worker held and settles nothing.
    case forgetsDoubt
    /// A doubt is parked although the campaign says that it stays unknown.
    case resendsAlways
    /// An announcement is not kept: as good as a writer that announces after sending.
    case forgetsMarks

    // Faults that were real once: see docs/simulation.md.

    /// A batch is recorded again unless it is the very last one.
    case comparesBatches
    /// The eviction of the last worker leaves undone what it was asked for.
    case forgetsWishes
    /// A parked recipient that has ended and is announced in the same batch stays parked.
    case keepsSkipped
    /// A worker that leaves has everything freed, and nothing settled.
    case leavesDoubt
}
