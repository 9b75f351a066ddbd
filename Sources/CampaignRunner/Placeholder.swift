// CampaignRunner
