import APNSProtocol
@testable import CampaignModel
import DocumentText
import DocumentTree
import Testing

#if canImport(Glibc)
    import Glibc
#endif

@Suite struct ExampleCampaignTests {
    /// The repository's folder of example campaigns, found from this file.
    private static let folder: String = {
        let parts = #filePath.split(separator: "/").dropLast(3)
        return "/" + parts.joined(separator: "/") + "/Campaigns"
    }()

    private static let files: [String] = {
        guard let folder = opendir(folder) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".json") { names.append(name) }
        }
        return names.sorted()
    }()

    @Test func thereAreExamples() {
        for file in ["newsletter.json", "silent-refresh.json", "weekend-sale.json"] {
            #expect(Self.files.contains(file))
        }
    }

    @Test(arguments: files)
    func everyExampleIsRightAndWithoutWarning(file: String) throws {
        let bytes = try contents(Self.folder + "/" + file)
        let root = try DocumentText.parse(bytes, file: file).get()
        let checked = try CampaignReader.read(root, file: file).get()
        #expect(checked.warnings.isEmpty)
        #expect(checked.value.name + ".json" == file)
    }

    @Test func theWeekendSaleIsWhatItsNotesSay() throws {
        let bytes = try contents(Self.folder + "/weekend-sale.json")
        let root = try DocumentText.parse(bytes, file: "f").get()
        let campaign = try CampaignReader.read(root, file: "f").get().value
        #expect(campaign.collapseID == "weekend-sale")
        #expect(campaign.send.unconfirmed == .resend)
        let plan = PayloadPlan(campaign)
        #expect(plan.fields == [.attribute("first_name"), .userID])
        #expect(plan.translations == [nil, "hu", "id"])
        let sale = render(plan, translation: 1, values: ["Éva", "7"])
        #expect(
            sale.json
                == #"{"aps":{"alert":{"title":"Hétvégi akció, Éva","#
                + #""body":"Vasárnapig akár 40% kedvezmény."},"badge":1,"sound":"default","#
                + #""thread-id":"sales"},"url":"https://example.com/hu/akcio","screen":"sale"}"#)
    }

    // A field that the page does not explain does not exist for the people who write campaigns.
    @Test func thePageExplainsEveryField() throws {
        let page = String(decoding: try contents(Self.folder + "/README.md"), as: UTF8.self)
        for section in FieldCatalog.campaign.sections {
            let heading = section.name.replacing(".*", with: "")
            #expect(heading.isEmpty || page.contains("`\(heading)`"), "\(heading)")
            for field in section.fields {
                #expect(page.contains("| `\(field)` |"), "\(section.name) \(field)")
            }
        }
    }

    @Test func theExamplesOnThePageAreRight() throws {
        let page = String(decoding: try contents(Self.folder + "/README.md"), as: UTF8.self)
        let examples = yamlBlocks(of: page)
        #expect(examples.count >= 5)
        for example in examples {
            let root = try DocumentText.parse(Array(example.utf8), file: "README.md").get()
            if example.contains("campaign:") {
                _ = try CampaignReader.read(root, file: "README.md").get()
            }
        }
    }

    /// The blocks between ```yaml and ```, without the indentation of their fences.
    private func yamlBlocks(of page: String) -> [String] {
        var blocks: [String] = []
        var open: (indentation: Int, lines: [Substring])?
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            let text = line.drop { $0 == " " }
            if let block = open, text == "```" {
                blocks.append(block.lines.joined(separator: "\n"))
                open = nil
            } else if text == "```yaml" {
                open = (line.count - text.count, [])
            } else if let block = open {
                open?.lines.append(line.dropFirst(block.indentation))
            }
        }
        return blocks
    }

    private func contents(_ path: String) throws -> [UInt8] {
        let file = try #require(fopen(path, "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        return Array(bytes[..<count])
    }
}
