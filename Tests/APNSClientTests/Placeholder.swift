// APNSClientTests
