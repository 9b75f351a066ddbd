// HTTP2Tests
