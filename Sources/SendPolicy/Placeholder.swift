// SendPolicy
