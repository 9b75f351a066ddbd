// DocumentTextTests
