// The bytes of a recovery file.
//
// A file is a sequence of frames, each of which can be read on its own:
//
//     offset  bytes  what
//     0       7      "sortieR"
//     7       1      version of the format, 1
//     8       4      length of the payload
//     12      4      CRC-32C of version, length and payload
//     16      length the payload, see RecoveryPayload.swift
//
// All integers are little-endian. A frame whose checksum is wrong, or that the file is too short
// for, is skipped up to the next offset at which a whole frame begins, so a torn end that somebody
// appended to costs the torn record only. CRC-32C finds every change of up to 32 bits in a row.

/// Turns recovery records into bytes and back.
package enum RecoveryCodec {
    /// The longest payload: a batch holds at most some 40,000 outcomes of 51 bytes.
    package static let payloadBytesMax = 64 << 20
    private static let marker = Array("sortieR".utf8)
    private static let version: UInt8 = 1
    private static let headerBytes = 16

    /// A record as a frame.
    ///
    /// - Parameter record: The record.
    /// - Returns: Bytes to append to a file.
    package static func encode(_ record: RecoveryRecord) -> [UInt8] {
        var payload = RecoveryWriter()
        payload.put(record)
        precondition(payload.bytes.count <= payloadBytesMax, "a batch is bounded")
        var covered = RecoveryWriter()
        covered.put(version)
        covered.put(UInt32(payload.bytes.count))
        let checksum = CRC32C.checksum([covered.bytes[...], payload.bytes[...]])
        var frame = RecoveryWriter()
        frame.bytes = marker + covered.bytes
        frame.put(checksum)
        frame.bytes += payload.bytes
        return frame.bytes
    }

    /// Reads everything that is whole.
    ///
    /// - Parameter bytes: A file's contents.
    /// - Returns: The records in order, and the places that can't be read.
    /// - Complexity: O(n) in the bytes.
    package static func decode(_ bytes: [UInt8]) -> RecoveryContents {
        var contents = RecoveryContents()
        var position = 0
        while position < bytes.count {
            guard let frame = frame(in: bytes, at: position) else {
                let next = nextFrame(in: bytes, after: position)
                contents.faults.append(
                    RecoveryFault(
                        offset: position, byteCount: next - position, cause: .damaged))
                position = next
                continue
            }
            var reader = RecoveryReader(bytes[frame.payload])
            if frame.version != version {
                contents.faults.append(frame.fault(at: position, .otherVersion))
            } else if let record = reader.record(), reader.isAtEnd {
                contents.records.append(record)
            } else {
                contents.faults.append(frame.fault(at: position, .damaged))
            }
            position = frame.payload.upperBound
        }
        return contents
    }

    private struct Frame {
        let version: UInt8
        let payload: Range<Int>

        func fault(at position: Int, _ cause: RecoveryFault.Cause) -> RecoveryFault {
            RecoveryFault(
                offset: position, byteCount: payload.upperBound - position, cause: cause)
        }
    }

    /// The frame that begins at an offset, if it is whole and its checksum right.
    private static func frame(in bytes: [UInt8], at position: Int) -> Frame? {
        guard bytes.count - position >= headerBytes,
            bytes[position..<(position + marker.count)].elementsEqual(marker)
        else { return nil }
        var header = RecoveryReader(bytes[(position + marker.count)..<(position + headerBytes)])
        guard let version = header.integer(UInt8.self), let length = header.integer(UInt32.self),
            let checksum = header.integer(UInt32.self)
        else { return nil }
        let start = position + headerBytes
        guard length <= payloadBytesMax, Int(length) <= bytes.count - start else { return nil }
        let payload = start..<(start + Int(length))
        let covered = bytes[(position + marker.count)..<(position + marker.count + 5)]
        guard CRC32C.checksum([covered, bytes[payload]]) == checksum else { return nil }
        return Frame(version: version, payload: payload)
    }

    private static func nextFrame(in bytes: [UInt8], after position: Int) -> Int {
        var next = position + 1
        while next < bytes.count {
            if bytes[next] == marker[0], frame(in: bytes, at: next) != nil { return next }
            next += 1
        }
        return bytes.count
    }
}

/// CRC-32C, the checksum of iSCSI and of many file systems (RFC 3720, appendix B.4).
enum CRC32C {
    /// The polynomial with its bits reversed.
    private static let polynomial: UInt32 = 0x82F6_3B78
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in
            value & 1 == 1 ? (value >> 1) ^ polynomial : value >> 1
        }
    }

    /// The checksum of pieces one after the other.
    static func checksum(_ pieces: [ArraySlice<UInt8>]) -> UInt32 {
        var value = UInt32.max
        for piece in pieces {
            for byte in piece {
                value = (value >> 8) ^ table[Int(UInt8(truncatingIfNeeded: value) ^ byte)]
            }
        }
        return ~value
    }
}
