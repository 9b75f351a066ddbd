// A recipient on its way from the database to the renderer.

package import CampaignModel

/// The fixed part of a recipient's row. The token and the values stay where libpq put them and are
/// handed over beside it, so that reading a row allocates nothing.
package struct RecipientRow: Sendable {
    /// The recipient's number in the run, from 1.
    package var ordinal: Int32
    /// The slice it belongs to; -1 if it comes from the retry list.
    package var slice: Int32
    /// Whether the device's status is active now; if not, the recipient is to be skipped.
    package var isActive: Bool
    /// Index into ``FreezePlan/translations``; 0 is the default text, also for a device that is not
    /// active.
    package var translation: Int
    /// Offset of the token's hex digits in the row's bytes.
    package var tokenOffset: Int
    /// Number of the token's digits.
    package var tokenCount: Int
    /// Requests on the wire so far; 0 unless the row comes from the retry list.
    package var attempts: UInt8 = 0
    /// Why it was parked; nil unless the row comes from the retry list.
    package var cause: ParkCause?
    /// When it was parked first, microseconds since 1970; 0 unless from the retry list.
    package var parkedAtMicroseconds: Int64 = 0

    /// A row of these parts.
    package init(
        ordinal: Int32, slice: Int32, isActive: Bool, translation: Int, tokenOffset: Int,
        tokenCount: Int, attempts: UInt8 = 0, cause: ParkCause?,
        parkedAtMicroseconds: Int64 = 0
    ) {
        self.ordinal = ordinal
        self.slice = slice
        self.isActive = isActive
        self.translation = translation
        self.tokenOffset = tokenOffset
        self.tokenCount = tokenCount
        self.attempts = attempts
        self.cause = cause
        self.parkedAtMicroseconds = parkedAtMicroseconds
    }

    /// The token's place in the row's bytes.
    package var token: Range<Int> { tokenOffset..<(tokenOffset + tokenCount) }
}

/// The columns that a message needs for each recipient.
package struct RecipientColumns: Sendable, Equatable {
    /// One value per row and field comes back, in this order. An attribute's value is its JSON
    /// value as text, without the quotes if it is a string.
    package var fields: [TemplateField]

    /// Creates the list.
    package init(fields: [TemplateField]) {
        self.fields = fields
    }
}

/// A leased range of a run's recipients.
package struct Slice: Sendable, Equatable {
    /// Its number in the run and phase, from 0.
    package let number: Int32
    /// The first ordinal.
    package let firstOrdinal: Int32
    /// The last ordinal, inclusive.
    package let lastOrdinal: Int32
    /// Recipients in it that take part in the phase.
    package let size: Int32
    /// Everything up to here was allowed on the wire before this lease.
    package let sendingThrough: Int32
    /// Recipients recorded or parked before this lease.
    package let recorded: Int32

    /// A slice of these parts.
    package init(
        number: Int32, firstOrdinal: Int32, lastOrdinal: Int32, size: Int32,
        sendingThrough: Int32, recorded: Int32
    ) {
        self.number = number
        self.firstOrdinal = firstOrdinal
        self.lastOrdinal = lastOrdinal
        self.size = size
        self.sendingThrough = sendingThrough
        self.recorded = recorded
    }

    /// The first ordinal that was never announced: where reading begins.
    package var nextOrdinal: Int32 { sendingThrough + 1 }
    /// Whether somebody worked on it before.
    package var wasStarted: Bool { recorded > 0 || sendingThrough >= firstOrdinal }
}
