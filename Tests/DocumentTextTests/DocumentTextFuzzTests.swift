import DocumentText
import DocumentTree
import Testing

/// Random damage to a valid file never crashes and always ends in a tree or in diagnostics.
@Suite struct DocumentTextFuzzTests {
    private static let file = """
        # A campaign
        {
          campaign: weekend-sale, "app": 'com.example.shop',
          message: { title: "Hello {{ first_name | there }} \\ud83d\\ude00", badge: 0,
            data: { url: "https://example.com/sale", ids: [1, 2.50, 0x1F, no], },
          },
          text: "two
            lines",
        }
        """
    private static let block = """
        campaign: weekend-sale
        message:
          title: Köszönjük
          body: |
            One
            two
          list:
          - a
          - b: "c"
            d: 'e'
        """
    private static let pieces = [
        "{", "}", "[", "]", ":", ",", "\"", "'", "#", "//", "/*", "&a", "*a", "!t", "---", "...",
        "|", ">", "%", "@", "`", "\\", "\\u", "\\x", "\n", "\r", "\t", " ", "  ", "? ", "- ", ": ",
        "“", "\u{A0}", "{{", "}}", "<<", "~", "\u{FEFF}", "\u{2028}", "\u{85}",
    ].map { Array($0.utf8) }

    @Test(arguments: [file, block], 1...4 as ClosedRange<UInt64>)
    func damagedFilesEndInATreeOrInDiagnostics(file: String, seed: UInt64) {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        for _ in 0..<1500 {
            var bytes = Array(file.utf8)
            for _ in 0...Int.random(in: 0..<6, using: &random) { damage(&bytes, &random) }
            switch DocumentText.parse(bytes, file: "f.json") {
            case .success: break
            case .failure(let faults):
                #expect(!faults.list.isEmpty)
                #expect(faults.list.allSatisfy { $0.line >= 1 && $0.column >= 1 })
                #expect(faults.list.allSatisfy { !$0.message.isEmpty })
            }
        }
    }

    private func damage(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard !bytes.isEmpty else { return }
        let start = Int.random(in: 0..<bytes.count, using: &random)
        let end = min(bytes.count, start + Int.random(in: 1...12, using: &random))
        switch Int.random(in: 0..<6, using: &random) {
        case 0: bytes.remove(at: start)
        case 1: bytes[start] = UInt8.random(in: 0...255, using: &random)
        case 2: bytes.removeSubrange(start..<end)
        case 3: bytes.insert(contentsOf: bytes[start..<end], at: start)
        case 4: bytes.removeSubrange(start...)
        default:
            let piece = Self.pieces.randomElement(using: &random) ?? []
            bytes.insert(contentsOf: piece, at: start)
        }
    }
}
