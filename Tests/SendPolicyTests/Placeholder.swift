// SendPolicyTests
