internal import APNSProtocol
internal import Synchronization

/// One request of a batch: whom it is for and where its bytes lie.
package struct PushEntry: Sendable {
    /// The recipient's place in the run, from 1.
    package let ordinal: Int32
    /// Attempts made before this one; APNs' answer to this one is attempt `attempts + 1`.
    package let attempts: UInt8
    /// How often this entry came back unprocessed from a connection while the loop held it.
    package internal(set) var returns: UInt8 = 0

    let pathOffset: UInt32
    let pathLength: UInt16
    let payloadOffset: UInt32
    let payloadLength: UInt16
}

/// How many bytes the batches of a phase hold, from their sealing to their last entry's end.
///
/// One request that hangs keeps its whole batch, so this, and not the number of recipients under
/// way, says what batches cost.
///
/// *Thread*: any.
package final class BatchGauge: Sendable {
    private let held = Atomic<Int>(0)

    /// A gauge of no batches.
    package init() {}

    /// The bytes of all batches that live.
    package var bytes: Int { held.load(ordering: .relaxed) }

    func add(_ bytes: Int) { held.add(bytes, ordering: .relaxed) }
    func remove(_ bytes: Int) { held.subtract(bytes, ordering: .relaxed) }
}

/// Rendered requests that travel together from the reader through the writer to the event loop.
///
/// *Ownership and thread*: built by one thread with ``PushBatchBuilder``, then handed over whole;
/// at any time exactly one thread holds it. The loop releases it when its last entry has ended, and
/// until then the bytes stay where they are, so HTTP/2 frames are made from them without a copy.
@safe package final class PushBatch: @unchecked Sendable {
    // Sendable by hand-over: the queues between the threads order every access, and no thread keeps
    // a reference after it passed the batch on.

    /// The slice these recipients belong to, or -1 for the list of parked recipients.
    package let slice: Int32
    /// The requests, in ordinal order.
    package var entries: [PushEntry] { items }
    /// The same for this room, whose accesses to it need no check at run time because no other one
    /// can change it.
    var items: [PushEntry]
    /// How many entries have not ended yet. Loop-bound.
    var remaining: Int

    private let bytes: UnsafeMutableRawBufferPointer
    private let gauge: BatchGauge?
    private let cost: Int

    fileprivate init(
        slice: Int32, entries: [PushEntry], bytes source: [UInt8], gauge: BatchGauge?
    ) {
        self.slice = slice
        items = entries
        remaining = entries.count
        self.gauge = gauge
        cost = source.count + entries.count * MemoryLayout<PushEntry>.stride
        gauge?.add(cost)
        // Sound: allocated here, freed in deinit only, and filled completely before any read.
        unsafe bytes = .allocate(byteCount: max(source.count, 1), alignment: 1)
        unsafe bytes.copyBytes(from: source)
    }

    deinit {
        // Sound: the last reference is gone, so no frame can still point here.
        unsafe bytes.deallocate()
        gauge?.remove(cost)
    }

    /// The `:path` of an entry; valid as long as the batch lives.
    func path(of entry: PushEntry) -> UnsafeRawBufferPointer {
        // Sound: the builder placed offset and length inside the buffer.
        unsafe UnsafeRawBufferPointer(
            rebasing: bytes[Int(entry.pathOffset)..<Int(entry.pathOffset) + Int(entry.pathLength)])
    }

    /// The body of an entry; valid as long as the batch lives.
    func payload(of entry: PushEntry) -> UnsafeRawBufferPointer {
        // Sound: as for `path(of:)`.
        let start = Int(entry.payloadOffset)
        return unsafe UnsafeRawBufferPointer(
            rebasing: bytes[start..<start + Int(entry.payloadLength)])
    }
}

/// Collects requests into one growing byte array and seals them into a ``PushBatch``.
///
/// Constant payloads are stored once per batch: add them first and reuse their range.
package struct PushBatchBuilder {
    /// Where a payload lies in the batch's bytes.
    package struct PayloadRange: Sendable {
        let offset: UInt32
        let length: UInt16
    }

    /// Every path and payload so far; between ``beginPayload()`` and ``endPayload(from:)`` the
    /// caller appends a payload here.
    package var bytes: [UInt8] = []
    private var entries: [PushEntry] = []
    private let gauge: BatchGauge?

    /// An empty builder with room for `capacity` requests of ordinary size.
    ///
    /// - Parameters:
    ///   - capacity: how many requests.
    ///   - gauge: told what the batches hold.
    package init(capacity: Int, gauge: BatchGauge? = nil) {
        self.gauge = gauge
        entries.reserveCapacity(capacity)
        bytes.reserveCapacity(capacity * 400)
    }

    /// The number of requests collected so far.
    package var count: Int { entries.count }

    /// The ordinal of the last request collected, or nil.
    package var lastOrdinal: Int32? { entries.last?.ordinal }

    /// Stores a payload and returns its range for ``add(ordinal:attempts:token:payload:)``.
    ///
    /// - Parameter payload: at most 4,096 bytes, APNs' limit.
    /// - Returns: its range.
    package mutating func addPayload(_ payload: [UInt8]) -> PayloadRange {
        let offset = bytes.count
        bytes.append(contentsOf: payload)
        return PayloadRange(offset: UInt32(offset), length: UInt16(bytes.count - offset))
    }

    /// The place where the next payload begins.
    package func beginPayload() -> Int { bytes.count }

    /// The range of the payload that was appended to ``bytes`` since ``beginPayload()``.
    ///
    /// - Parameter start: what ``beginPayload()`` returned; at most 4,096 bytes were appended.
    /// - Returns: its range.
    package func endPayload(from start: Int) -> PayloadRange {
        PayloadRange(offset: UInt32(start), length: UInt16(bytes.count - start))
    }

    /// Adds a request.
    ///
    /// - Parameters:
    ///   - ordinal: the recipient's place in the run.
    ///   - attempts: attempts made before.
    ///   - token: the device token as lower-case hexadecimal digits.
    ///   - payload: the range of its body.
    package mutating func add(
        ordinal: Int32, attempts: UInt8, token: Span<UInt8>, payload: PayloadRange
    ) {
        let offset = bytes.count
        RequestHead.appendPath(token: token, to: &bytes)
        entries.append(
            PushEntry(
                ordinal: ordinal, attempts: attempts,
                pathOffset: UInt32(offset), pathLength: UInt16(bytes.count - offset),
                payloadOffset: payload.offset, payloadLength: payload.length))
    }

    /// Seals what was collected and empties the builder; the storage's capacity is kept.
    ///
    /// - Parameter slice: the slice of the recipients, or -1 for parked ones.
    /// - Returns: the batch.
    package mutating func seal(slice: Int32) -> PushBatch {
        let batch = PushBatch(slice: slice, entries: entries, bytes: bytes, gauge: gauge)
        entries.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
        return batch
    }
}
