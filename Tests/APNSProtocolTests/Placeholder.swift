// APNSProtocolTests
