import CampaignModel
import Testing

@Suite struct LocaleTagTests {
    @Test(arguments: [
        ("en", "en"), ("fr_CA", "fr-ca"), ("zh-Hant-TW", "zh-hant-tw"), ("", ""), ("É", "É"),
    ])
    func tagsAreComparedInOneForm(tag: String, normal: String) {
        #expect(LocaleTag.normalised(tag) == normal)
    }

    @Test(arguments: [
        ("en", true), ("fil", true), ("fr-ca", true), ("zh-hant-tw", true), ("es-419", true),
        ("e", false), ("", false), ("en-", false), ("-en", false), ("en--gb", false),
        ("en gb", false), ("e1", false), ("abcdefgh", true), ("abcdefghi", false),
        ("en-abcdefghi", false), ("*", false),
    ])
    func theFormOfATagIsChecked(tag: String, isRight: Bool) {
        #expect(LocaleTag.isWellFormed(tag) == isRight)
    }

    @Test(
        arguments: [
            ("fr-CA", 1), ("fr_CA", 1), ("FR-ca", 1), ("fr-CA-x-a", 1), ("fr-BE", 2), ("fr", 2),
            ("zh-Hant-TW", 3), ("zh-Hans", 0), ("de", 0), ("f", 0), ("frca", 0), ("", 0), (nil, 0),
            ("-", 0), ("fr-", 2),
        ] as [(String?, Int)])
    func aDeviceGetsTheNearestTranslation(device: String?, index: Int) throws {
        let plan = PayloadPlan(
            try campaign(
                message: "title: x, translations: { fr-CA: { title: a }, fr: { title: b }, "
                    + "zh_Hant: { title: c } }"))
        #expect(plan.translations == [nil, "fr-ca", "fr", "zh-hant"])
        #expect(plan.translationIndex(forDeviceLocale: device) == index)
    }
}
