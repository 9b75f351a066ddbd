// APNSProtocol
