// CampaignStoreTests
