import DocumentText
import DocumentTree
import Testing

/// The container files fit the program. No container engine is needed.
@Suite struct DockerTests {
    @Test func theComposeFileHasItsThreeServices() throws {
        let parsed = DocumentText.parse(
            RepositoryFiles.bytes("docker-compose.yml"), file: "docker-compose.yml")
        let root = try parsed.get()
        let services = try #require(member("services", of: root))
        #expect(keys(of: services) == ["database", "simulator", "sender"])
        #expect(keys(of: try #require(member("volumes", of: root))) == ["simulator"])
    }

    /// Where the sender's commands look, and what the image offers.
    @Test func whatTheSenderReadsIsThere() {
        let text = RepositoryFiles.text("docker-compose.yml")
        for name in ["demo.json", "example-devices.csv"] {
            #expect(text.contains(" \(name)"))
            #expect(RepositoryFiles.exists("Campaigns/\(name)"))
        }
    }

    /// Each library that is built against has its runtime in the image.
    @Test(arguments: [
        ("libfyaml-dev", "libfyaml0"), ("libnghttp2-dev", "libnghttp2-14"),
        ("libpq-dev", "libpq5"), ("libssl-dev", "libssl3"),
    ])
    func theImageHasEveryLibrary(header: String, runtime: String) {
        let dockerfile = RepositoryFiles.text("Dockerfile")
        #expect(dockerfile.contains(" \(header) "))
        #expect(dockerfile.contains(" \(runtime)"))
        #expect(RepositoryFiles.text("Scripts/install-packages").contains(header))
    }

    private func member(_ key: String, of node: DocumentNode) -> DocumentNode? {
        guard case .mapping(let members) = node.content else { return nil }
        return members.first { $0.key == key }?.value
    }

    private func keys(of node: DocumentNode) -> [String] {
        guard case .mapping(let members) = node.content else { return [] }
        return members.map(\.key)
    }
}
