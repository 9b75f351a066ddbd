// CampaignModelTests
