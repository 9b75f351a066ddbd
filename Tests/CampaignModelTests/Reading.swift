import CampaignModel
import DocumentText
import DocumentTree

/// A campaign file that is right, with a place for fields of the message and for sections.
func campaignText(message: String = "title: Hello", more: String = "") -> String {
    """
    campaign: test
    app: com.example.shop
    environment: sandbox
    message: { \(message) }
    \(more)
    """
}

/// Reads a campaign from the text of a file.
func readCampaign(_ text: String) -> Result<Checked<Campaign>, Diagnostics> {
    DocumentText.parse(Array(text.utf8), file: "c.json").flatMap { root in
        CampaignReader.read(root, file: "c.json")
    }
}

/// Reads a campaign that must be right.
func campaign(_ text: String) throws -> Campaign {
    try readCampaign(text).get().value
}

/// Reads a campaign that must be right, of which only the message matters.
func campaign(message: String) throws -> Campaign {
    try campaign(campaignText(message: message))
}

/// The errors of a campaign file.
func errors(_ text: String) -> [Diagnostic] {
    switch readCampaign(text) {
    case .success: []
    case .failure(let faults): faults.list.filter { $0.severity == .error }
    }
}

/// The warnings of a campaign file that is right.
func warnings(_ text: String) throws -> [Diagnostic] {
    try readCampaign(text).get().warnings
}

/// Makes one recipient's payload from values in the order of the plan's fields.
func render(
    _ plan: PayloadPlan, translation: Int = 0, values: [String?] = []
) -> (result: RenderResult, json: String) {
    var row: [UInt8] = [0x23, 0x23]
    var ranges: [FieldRange] = []
    for value in values {
        guard let value else {
            ranges.append(.none)
            continue
        }
        ranges.append(FieldRange(offset: Int32(row.count), length: Int32(value.utf8.count)))
        row.append(contentsOf: value.utf8)
    }
    var output: [UInt8] = []
    let result = plan.render(
        translation: translation, row: row.span, values: ranges.span, into: &output)
    return (result, String(decoding: output, as: UTF8.self))
}

/// The payload that every recipient of a message gets.
func payload(_ message: String) throws -> String {
    let plan = PayloadPlan(try campaign(message: message))
    let bytes = plan.constantPayload(translation: 0) ?? []
    return String(decoding: bytes, as: UTF8.self)
}

/// A small generator with a seed, so that a failing case can be run again (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
