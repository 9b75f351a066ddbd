// APNSSimulatorTests
