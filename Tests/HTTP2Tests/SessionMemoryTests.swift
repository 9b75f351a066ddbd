import CNGHTTP2
import Testing

@testable import HTTP2

/// Memory for nghttp2: what the C library's functions promise, and blocks that come back.
@Suite struct SessionMemoryTests {
    /// Sizes around every step between lists, and beyond the last list.
    private static let sizes = [0, 1, 63, 64, 65, 511, 512, 513, 4_096, 100_000]

    private func allocate(_ size: Int, _ functions: nghttp2_mem) -> UnsafeMutableRawPointer? {
        functions.malloc(size, functions.mem_user_data)
    }

    private func free(_ bytes: UnsafeMutableRawPointer?, _ functions: nghttp2_mem) {
        functions.free(bytes, functions.mem_user_data)
    }

    @Test(arguments: sizes) func aBlockHasRoomForWhatWasAskedFor(_ size: Int) throws {
        let memory = SessionMemory()
        let functions = memory.functions
        let first = try #require(allocate(size, functions))
        let second = try #require(allocate(size, functions))
        #expect(Int(bitPattern: first) % 16 == 0)
        first.initializeMemory(as: UInt8.self, repeating: 0xAA, count: size)
        second.initializeMemory(as: UInt8.self, repeating: 0x55, count: size)
        let bytes = UnsafeRawBufferPointer(start: first, count: size)
        #expect(bytes.allSatisfy { $0 == 0xAA })
        free(first, functions)
        free(second, functions)
    }

    @Test func aFreedBlockIsGivenOutAgainForItsSize() throws {
        let memory = SessionMemory()
        let functions = memory.functions
        let block = try #require(allocate(200, functions))
        free(block, functions)
        let smaller = try #require(allocate(64, functions))
        #expect(smaller != block)
        #expect(allocate(193, functions) == block)
        free(block, functions)
        free(smaller, functions)
    }

    @Test(arguments: sizes) func clearedMemoryIsClearedAlsoWhenItWasUsedBefore(
        _ size: Int
    ) throws {
        let memory = SessionMemory()
        let functions = memory.functions
        let used = try #require(allocate(size, functions))
        used.initializeMemory(as: UInt8.self, repeating: 0xFF, count: size)
        free(used, functions)
        let cleared = try #require(functions.calloc(1, size, functions.mem_user_data))
        let bytes = UnsafeRawBufferPointer(start: cleared, count: size)
        #expect(bytes.allSatisfy { $0 == 0 })
        free(cleared, functions)
    }

    @Test func aSumThatOverflowsGetsNothing() {
        let memory = SessionMemory()
        let functions = memory.functions
        #expect(functions.calloc(.max, 2, functions.mem_user_data) == nil)
    }

    @Test(arguments: sizes) func whatGrowsKeepsItsBytes(_ size: Int) throws {
        let memory = SessionMemory()
        let functions = memory.functions
        let block = functions.realloc(nil, size, functions.mem_user_data)
        let old = try #require(block)
        old.initializeMemory(as: UInt8.self, repeating: 0x3C, count: size)
        let grown = try #require(functions.realloc(old, 3 * size + 1, functions.mem_user_data))
        grown.advanced(by: size).initializeMemory(
            as: UInt8.self, repeating: 0, count: 2 * size + 1)
        let bytes = UnsafeRawBufferPointer(start: grown, count: size)
        #expect(bytes.allSatisfy { $0 == 0x3C })
        free(grown, functions)
    }

    @Test func freeingNothingDoesNothing() {
        let memory = SessionMemory()
        free(nil, memory.functions)
    }
}
