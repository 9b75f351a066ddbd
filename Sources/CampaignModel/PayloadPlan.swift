internal import APNSProtocol

/// Where a value stands in a row's bytes.
package struct FieldRange: Sendable, Equatable {
    /// The first byte, counted from 0.
    package let offset: Int32
    /// How many bytes; -1: there is no value.
    package let length: Int32

    /// A range of bytes.
    ///
    /// - Parameters:
    ///   - offset: the first byte.
    ///   - length: how many bytes; -1: there is no value.
    @inlinable
    package init(offset: Int32, length: Int32) {
        self.offset = offset
        self.length = length
    }

    /// The range of a value that is NULL or absent.
    @inlinable
    package static var none: FieldRange { FieldRange(offset: 0, length: -1) }
}

/// What came of making one recipient's payload.
package enum RenderResult: Sendable, Equatable {
    /// The payload was appended; it has so many bytes.
    case rendered(Int)
    /// Nothing was appended: the field at this index of ``PayloadPlan/fields`` has no value, and
    /// the text has no substitute for it.
    case missingValue(Int)
    /// Nothing was appended: the payload would have so many bytes, more than APNs takes.
    case tooLarge(Int)
}

/// A campaign's message, compiled once so that a recipient's payload costs a few copies.
///
/// Each translation is one run of JSON bytes cut at the places where a value goes. Everything that
/// comes from the file is escaped when the plan is made, values are escaped as they are put in, so
/// no value can change the structure. The payload is strict JSON without blanks, `aps` first, keys
/// always in the same order.
///
/// *Thread*: immutable; any.
package struct PayloadPlan: Sendable {
    /// The distinct fields of all texts: the columns to fetch for each recipient, in this order.
    package let fields: [TemplateField]
    /// The locales with texts of their own, in normal form and in the order of the file; the one
    /// at index 0 is nil: the message as it stands without translation.
    package let translations: [String?]
    private let locales: [String]
    /// All translations' JSON in a row, every substitute in its place. One array for all of them:
    /// a plan is read for every recipient, and an array per translation would be retained and
    /// released each time.
    private let json: [UInt8]
    /// All translations' places for values, in the order of ``json``.
    private let steps: [PayloadStep]
    private let extents: [PayloadExtent]

    /// Compiles a campaign's message.
    ///
    /// - Parameter campaign: a campaign that passed the rules of the file.
    /// - Complexity: linear in the length of all texts; allocates.
    package init(_ campaign: Campaign) {
        self.init(campaign.message)
    }

    /// Compiles a message.
    ///
    /// - Parameter message: a message that passed the rules of the file.
    init(_ message: Message) {
        var compiler = PayloadCompiler()
        var extents = [compiler.compile(message, message.content)]
        for translation in message.translations {
            extents.append(compiler.compile(message, translation.content.over(message.content)))
        }
        self.extents = extents
        json = compiler.json
        steps = compiler.steps
        fields = compiler.fields
        locales = message.translations.map(\.locale)
        translations = [nil] + locales
    }

    /// The translation for a device: its locale, else the locale without its last part, and so on
    /// (`fr-CA`, then `fr`), else 0.
    ///
    /// - Parameter locale: the device's locale as the app reported it; nil when unknown.
    /// - Returns: an index into ``translations``.
    package func translationIndex(forDeviceLocale locale: String?) -> Int {
        LocaleTag.bestMatch(for: locale, among: locales).map { $0 + 1 } ?? 0
    }

    /// Whether every recipient of a translation gets the same bytes.
    ///
    /// - Parameter translation: an index into ``translations``.
    /// - Returns: true when no value of the recipient is in it.
    package func isConstant(translation: Int) -> Bool { extents[translation].steps.isEmpty }

    /// The payload of a translation that is the same for every recipient.
    ///
    /// - Parameter translation: an index into ``translations``.
    /// - Returns: the payload; nil when it differs by recipient.
    package func constantPayload(translation: Int) -> [UInt8]? {
        isConstant(translation: translation) ? Array(json[extents[translation].json]) : nil
    }

    /// How many bytes a payload of a translation has at least.
    ///
    /// - Parameter translation: an index into ``translations``.
    /// - Returns: the bytes without any value of a recipient.
    package func bytesMin(translation: Int) -> Int {
        let extent = extents[translation]
        return steps[extent.steps].reduce(extent.json.count) { $0 - $1.fallbackLength }
    }

    /// Appends the payload for one recipient.
    ///
    /// No allocation but for the growth of `output`.
    ///
    /// - Parameters:
    ///   - translation: an index into ``translations``.
    ///   - row: UTF-8 bytes that hold the recipient's values.
    ///   - values: where in `row` the value of each of ``fields`` stands, in the same order.
    ///   - output: where the payload goes; unchanged unless the result is `rendered`.
    /// - Returns: what came of it; an empty value counts as none.
    package func render(
        translation: Int, row: borrowing Span<UInt8>, values: borrowing Span<FieldRange>,
        into output: inout [UInt8]
    ) -> RenderResult {
        let start = output.count
        let extent = extents[translation]
        let json = json.span
        var done = extent.json.lowerBound
        for index in extent.steps {
            let step = steps[index]
            append(json.extracting(done..<step.position), to: &output)
            done = step.position + step.fallbackLength
            let value = values[step.field]
            if value.length > 0 {
                let first = Int(value.offset)
                JSONText.appendEscaped(
                    row.extracting(first..<(first + Int(value.length))), to: &output)
            } else if step.hasFallback {
                append(json.extracting(step.position..<done), to: &output)
            } else {
                output.removeLast(output.count - start)
                return .missingValue(step.field)
            }
        }
        append(json.extracting(done..<extent.json.upperBound), to: &output)
        let count = output.count - start
        guard count <= APNSLimits.payloadBytesMax else {
            output.removeLast(count)
            return .tooLarge(count)
        }
        return .rendered(count)
    }

    /// Copies bytes in one go: the standard library's only way from a span into an array is byte by
    /// byte, which made this the dearest part of a recipient.
    private func append(_ piece: borrowing Span<UInt8>, to output: inout [UInt8]) {
        // The pointer is used inside the closure only, where the span keeps its bytes alive.
        unsafe piece.withUnsafeBufferPointer { bytes in
            unsafe output.append(contentsOf: bytes)
        }
    }
}
