import Testing

@testable import APNSClient

@Suite struct PushWorkTests {
    private func batch(_ ordinals: ClosedRange<Int32>, slice: Int32 = 0) -> PushBatch {
        var builder = PushBatchBuilder(capacity: 4)
        let payload = builder.addPayload(Array("{}".utf8))
        for ordinal in ordinals {
            let token = Array("c0ffee0\(ordinal % 10)".utf8)
            builder.add(ordinal: ordinal, attempts: 0, token: token.span, payload: payload)
        }
        return builder.seal(slice: slice)
    }

    @Test func entriesComeInOrderOverBatches() {
        let work = PushWork()
        work.add(batch(1...3))
        work.add(batch(4...5))
        var ordinals: [Int32] = []
        while let (index, entry) = work.next() {
            ordinals.append(work.batch(index).entries[entry].ordinal)
        }
        #expect(ordinals == [1, 2, 3, 4, 5])
        #expect(!work.hasWaiting)
        #expect(!work.isEmpty)
    }

    @Test func whatCameBackGoesFirst() throws {
        let work = PushWork()
        work.add(batch(1...2))
        let next = work.next()
        let first = try #require(next)
        work.comeBack(first.batch, first.entry)
        let again = work.next()
        #expect(try #require(again) == first)
    }

    @Test func aBatchIsReleasedWithItsLastEntryAndItsIndexIsReused() throws {
        let work = PushWork()
        work.add(batch(1...2))
        let next = work.next()
        let first = try #require(next)
        let second = work.next()
        #expect(second != nil)
        work.ended(first.batch)
        #expect(!work.isEmpty)
        work.ended(first.batch)
        #expect(work.isEmpty)
        work.add(batch(3...3))
        let reused = work.next()
        #expect(try #require(reused).batch == first.batch)
    }

    @Test func anEmptyBatchIsNoWork() {
        let work = PushWork()
        var builder = PushBatchBuilder(capacity: 1)
        work.add(builder.seal(slice: 0))
        #expect(!work.hasWaiting)
        #expect(work.isEmpty)
    }

    @Test func manyBatchesNeedNoMoreRoomThanIsOpen() throws {
        let work = PushWork()
        for ordinal in 1...1000 {
            work.add(batch(Int32(ordinal)...Int32(ordinal)))
            let next = work.next()
            let index = try #require(next).batch
            #expect(index == 0)
            work.ended(index)
        }
        #expect(work.isEmpty)
    }
}

@Suite struct PushBatchBuilderTests {
    private func text(_ bytes: UnsafeRawBufferPointer) -> String {
        String(decoding: bytes, as: UTF8.self)
    }

    @Test func pathAndPayloadAreTheRecipientsOwn() {
        var builder = PushBatchBuilder(capacity: 2)
        let constant = builder.addPayload(Array("{\"a\":1}".utf8))
        builder.add(ordinal: 7, attempts: 2, token: Array("c0ffee".utf8).span, payload: constant)
        let start = builder.beginPayload()
        builder.bytes.append(contentsOf: "{\"b\":2}".utf8)
        builder.add(
            ordinal: 8, attempts: 0, token: Array("beef".utf8).span,
            payload: builder.endPayload(from: start))
        #expect(builder.lastOrdinal == 8)
        let batch = builder.seal(slice: 3)
        #expect(batch.slice == 3)
        #expect(batch.entries.map(\.ordinal) == [7, 8])
        #expect(batch.entries.map(\.attempts) == [2, 0])
        #expect(text(batch.path(of: batch.entries[0])) == "/3/device/c0ffee")
        #expect(text(batch.payload(of: batch.entries[0])) == "{\"a\":1}")
        #expect(text(batch.path(of: batch.entries[1])) == "/3/device/beef")
        #expect(text(batch.payload(of: batch.entries[1])) == "{\"b\":2}")
        #expect(builder.count == 0)
    }

    @Test(arguments: [4095, 4096])
    func payloadsUpToTheLimitKeepTheirLength(_ count: Int) {
        var builder = PushBatchBuilder(capacity: 1)
        let payload = builder.addPayload(Array(repeating: UInt8(ascii: "x"), count: count))
        builder.add(ordinal: 1, attempts: 0, token: Array("aa".utf8).span, payload: payload)
        let batch = builder.seal(slice: 0)
        #expect(batch.payload(of: batch.entries[0]).count == count)
    }
}
