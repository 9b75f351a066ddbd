internal import HTTP2
internal import LinuxIO
internal import Wire

// What HTTP/2 and the wire report. Hot: called for every field of every request.
extension SimulatorConnection: WireServerHandler {
    func http2RequestStarted(slot: Int, streamID: Int32) {
        noteStreamOpened()
        if isFast { return }
        slots.grow(toHold: slot)
        slots[slot].begin(streamID: streamID)
    }

    func http2RequestField(
        name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer, slot: Int
    ) {
        // Sound: both spans are used within this call, which lends the bytes.
        let name = unsafe Span<UInt8>(_unsafeBytes: name)
        let value = unsafe Span<UInt8>(_unsafeBytes: value)
        if isFast {
            takeFastField(name: name, value: value, slot: slot)
        } else {
            takeField(name: name, value: value, of: &slots[slot])
        }
    }

    func http2RequestFieldsEnded(slot: Int) {}

    func http2RequestBody(_ bytes: UnsafeRawBufferPointer, slot: Int) {
        if isFast {
            fastBodyBytes &+= bytes.count
        } else {
            // Sound: the span is used within this call, which lends the bytes.
            unsafe slots[slot].intake.takeBody(Span<UInt8>(_unsafeBytes: bytes))
        }
    }

    func http2RequestEnded(slot: Int) {
        let now = MonotonicClock.nanoseconds()
        if isFast {
            noteArrival(nowNanoseconds: now)
            answerFast(index: slot)
            return
        }
        guard slots[slot].streamID <= lastStreamIDTaken else { return }
        noteArrival(nowNanoseconds: now)
        worker.counters.noteRequest(
            headerBytes: slots[slot].intake.headerBytes, bodyBytes: slots[slot].intake.bodyBytes)
        take(slot, nowNanoseconds: now)
    }

    func http2StreamClosed(errorCode: UInt32?, slot: Int) {
        noteStreamClosed()
        if isFast { return }
        slots[slot].isOpen = false
        if slots[slot].isDue {
            slots[slot].isDue = false
            worker.counters.streamsAbandoned += 1
        }
    }

    func http2Settings() {}

    func http2PingReceived() {}

    func http2PingAcknowledged() {}

    func http2GoAway(errorCode: UInt32) {}

    func wireAccepted(_ connection: WireServerConnection) {
        join(connection)
    }

    func wireOpened() {
        isOpen = true
        worker.counters.connectionsOpened += 1
        if !isFast { perform(behaviour.opened(nowNanoseconds: MonotonicClock.nanoseconds())) }
    }

    func wireClosed(_ closure: WireClosure) {
        leave()
    }

    private func takeField(name: Span<UInt8>, value: Span<UInt8>, of slot: inout RequestSlot) {
        if slot.intake.take(name: name, value: value) == .authorization {
            slot.presented = worker.presented(value)
        }
        if worker.keepsTranscript {
            slot.transcriptFields.append(
                ReceivedRequest.Field(name: String(copying: name), value: String(copying: value)))
        }
    }

    private func takeFastField(name: Span<UInt8>, value: Span<UInt8>, slot: Int) {
        fastHeaderBytes &+= name.count &+ value.count
        guard name.count == 5, Bytes.areEqual(name, ":path"), value.count > 10 else { return }
        let death = worker.noteFastToken(value.extracting(droppingFirst: 10))
        guard worker.hasDeadTokens else { return }
        while fastDeaths.count <= slot { fastDeaths.append(nil) }
        fastDeaths[slot] = death
    }

    private func answerFast(index: Int) {
        worker.counters.noteRequest(headerBytes: fastHeaderBytes, bodyBytes: fastBodyBytes)
        fastHeaderBytes = 0
        fastBodyBytes = 0
        guard let http2 = wire?.http2 else { return }
        if index < fastDeaths.count, let death = fastDeaths[index] {
            fastDeaths[index] = nil
            worker.answerGone(slot: index, timestampMilliseconds: death, on: http2)
            return
        }
        worker.counters.noteAnswer(nil, kind: .send)
        // Sound: no varying value is given, so no pointer either.
        unsafe http2.respond(slot: index, head: worker.answerer.book.bare)
    }
}

extension String {
    /// A text of borrowed bytes; what is no UTF-8 is replaced.
    fileprivate init(copying bytes: Span<UInt8>) {
        // Sound: the buffer is read within the closure that lends it.
        unsafe self = bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
