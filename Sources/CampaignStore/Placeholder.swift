// CampaignStore
