// TLSTests
