// PostgreSQLTests
