/// A request as it was received, word by word, for tests and rehearsals.
package struct ReceivedRequest: Sendable, Equatable {
    /// A header field.
    package struct Field: Sendable, Equatable {
        /// Lower case; pseudo-header fields with their colon.
        package let name: String
        /// The value.
        package let value: String
    }

    /// The connection's number, from 1.
    package let connection: Int
    /// The request's number on its connection, from 1.
    package let number: Int
    /// The stream.
    package let streamID: Int32
    /// When it was complete, in nanoseconds of the monotonic clock.
    package let arrivedNanoseconds: Int64
    /// All header fields in the order of their arrival.
    package let fields: [Field]
    /// The body, at most 5121 bytes of it.
    package let body: [UInt8]
    /// What the judge found; behaviours may have answered otherwise.
    package let ruling: Ruling

    /// The value of a field; nil if it did not come.
    ///
    /// - Parameter name: Lower case.
    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The token in the path; nil if there is none.
    package var token: String? {
        guard let path = self[":path"], path.hasPrefix("/3/device/") else { return nil }
        return String(path.dropFirst(10))
    }
}
