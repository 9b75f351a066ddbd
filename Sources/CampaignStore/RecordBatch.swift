// What the writer hands to the database at once.

package import APNSProtocol

/// How one recipient ended.
package struct OutcomeRecord: Sendable, Equatable {
    /// The recipient.
    package var ordinal: Int32
    /// How it ended.
    package var kind: OutcomeKind
    /// The HTTP status; 0 if there was no answer.
    package var status: UInt16
    /// APNs' reason, or a cause of the caller's with its text in the batch.
    package var reason: ReasonCode
    /// Requests on the wire, this one included.
    package var attempts: UInt8
    /// The connection's number, from 1; 0 if none was used.
    package var connection: UInt8
    /// From request to answer; 0 if there was none.
    package var latencyMicroseconds: UInt32
    /// When the last request was sent, since 1970; 0 for never.
    package var sentAtMicroseconds: Int64
    /// The timestamp in a 410's body, since 1970; 0 for none.
    package var apnsTimestampMilliseconds: Int64
    /// The upper half of apns-id; with the lower one 0 for none.
    package var apnsIDHigh: UInt64
    /// The lower half of apns-id.
    package var apnsIDLow: UInt64
    /// The slice that the recipient was read from, or -1 if from the retry list.
    package var source: Int32

    /// Creates a record.
    package init(
        ordinal: Int32, kind: OutcomeKind, status: UInt16 = 0, reason: ReasonCode = .none,
        attempts: UInt8 = 0, connection: UInt8 = 0, latencyMicroseconds: UInt32 = 0,
        sentAtMicroseconds: Int64 = 0, apnsTimestampMilliseconds: Int64 = 0,
        apnsIDHigh: UInt64 = 0, apnsIDLow: UInt64 = 0, source: Int32
    ) {
        self.ordinal = ordinal
        self.kind = kind
        self.status = status
        self.reason = reason
        self.attempts = attempts
        self.connection = connection
        self.latencyMicroseconds = latencyMicroseconds
        self.sentAtMicroseconds = sentAtMicroseconds
        self.apnsTimestampMilliseconds = apnsTimestampMilliseconds
        self.apnsIDHigh = apnsIDHigh
        self.apnsIDLow = apnsIDLow
        self.source = source
    }
}

/// A recipient that waits to be sent later.
package struct ParkRecord: Sendable, Equatable {
    /// The recipient.
    package var ordinal: Int32
    /// The slice that it was read from, or -1 if it was parked before.
    package var slice: Int32
    /// Requests on the wire so far.
    package var attempts: UInt8
    /// Why it waits.
    package var cause: ParkCause
    /// APNs' reason, or a cause of the caller's with its text in the batch.
    package var reason: ReasonCode
    /// Not to be sent before, microseconds since 1970.
    package var notBeforeMicroseconds: Int64

    /// Creates a record.
    package init(
        ordinal: Int32, slice: Int32, attempts: UInt8, cause: ParkCause,
        reason: ReasonCode = .none, notBeforeMicroseconds: Int64
    ) {
        self.ordinal = ordinal
        self.slice = slice
        self.attempts = attempts
        self.cause = cause
        self.reason = reason
        self.notBeforeMicroseconds = notBeforeMicroseconds
    }
}

/// A mark that says what may go on the wire once it is committed.
package enum Announcement: Sendable, Equatable {
    /// Recipients of a slice up to and including an ordinal.
    case slice(number: Int32, through: Int32)
    /// Recipients from the retry list.
    case retry(ordinals: [Int32])
}

/// One transaction's worth of outcomes, parkings and announcements of one phase.
package struct RecordBatch: Sendable {
    /// Names the batch, so that recording the same one twice is harmless: the database keeps the
    /// id of each worker's last batch, and takes only higher ones. Above 0, which is no batch.
    package let id: Int64
    /// The pass over the recipients.
    package var phase: RunPhase
    /// At most one per recipient and phase. ``Store/record(_:run:)`` sorts them by ordinal.
    package var outcomes: [OutcomeRecord] = []
    /// At most one per recipient.
    package var parks: [ParkRecord] = []
    /// What may go on the wire afterwards.
    package var announcements: [Announcement] = []
    /// The texts of reasons that are in no table of this program.
    package var reasonTexts: [ReasonCode: String] = [:]
    /// Whether nothing that the worker saw so far speaks against marking devices.
    package var allowsMarking = true

    /// Creates an empty batch.
    ///
    /// - Parameters:
    ///   - phase: The pass over the recipients.
    ///   - id: Higher than that of every batch that the worker recorded before.
    package init(phase: RunPhase, id: Int64) {
        self.id = id
        self.phase = phase
    }

    /// Whether there is nothing to record.
    package var isEmpty: Bool { outcomes.isEmpty && parks.isEmpty && announcements.isEmpty }
}
