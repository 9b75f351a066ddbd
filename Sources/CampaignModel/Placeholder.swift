// CampaignModel
