import CampaignModel
import Testing

@Suite struct EditDistanceTests {
    @Test(arguments: [("", "", 0), ("a", "", 1), ("ab", "ba", 1), ("kitten", "sitting", 3)])
    func countsEdits(first: String, second: String, edits: Int) {
        #expect(
            EditDistance.distance(
                Array(first.unicodeScalars), Array(second.unicodeScalars)) == edits)
    }
}
