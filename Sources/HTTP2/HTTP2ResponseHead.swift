internal import CNGHTTP2

/// The head of an answer, made once and used for many: a status, fields that stay the same, and at
/// most one whose value differs in every answer.
///
/// Sendable without a lock because nothing in it changes after init: sessions copy the array of
/// pairs before they fill in the value that varies, and nghttp2 copies names and values.
@safe package final class HTTP2ResponseHead: @unchecked Sendable {
    let block: FieldBlock
    let hasVaryingField: Bool

    /// Makes a head.
    ///
    /// - Parameters:
    ///   - status: 100...999.
    ///   - fields: Fields with fixed values.
    ///   - varyingName: Lower-case name of the field whose value each answer brings along, always
    ///     sent without entering a table; nil for none.
    package init(status: Int, fields: [HTTP2Field] = [], varyingName: String? = nil) {
        precondition((100...999).contains(status), "a status has three digits")
        var all = [HTTP2Field(":status", String(status))] + fields
        if let varyingName { all.append(HTTP2Field(varyingName, "", indexing: .never)) }
        block = FieldBlock(all, isCopiedByLibrary: true)
        hasVaryingField = varyingName != nil
    }
}
