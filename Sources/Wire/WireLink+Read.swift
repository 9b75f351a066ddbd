internal import HTTP2
internal import LinuxIO
internal import TLS

/// From the socket to the session.
extension WireLink {
    /// Reads what is there, within the bound of a turn, and hands it on. True: the bound was
    /// reached.
    @discardableResult
    func readTurn() -> Bool {
        var budget = Self.turnBytesMax
        while budget > 0, isLive, !isReadingPaused {
            // Sound: the buffer lives as long as self.
            switch unsafe StreamSocket.read(raw, into: inputBuffer) {
            case .bytes(let count):
                unsafe tls.receive(UnsafeRawBufferPointer(rebasing: inputBuffer[..<count]))
                receive()
                budget -= count
                // A short read emptied the socket; asking again would only be told so.
                if unsafe count < inputBuffer.count { return false }
            case .wouldBlock:
                return false
            case .endOfFile:
                // What is queued may still be read by a peer that closed one direction only.
                flush()
                end(.endOfFile)
            case .failed(let error):
                end(.system(error))
            }
        }
        return isLive && !isReadingPaused
    }

    /// Handles the ciphertext that was just taken over.
    private func receive() {
        if state == .handshaking { advanceHandshake() }
        while state == .open {
            do {
                // Sound: the buffer lives as long as self.
                let count = try unsafe tls.read(into: plaintextBuffer)
                guard count > 0 else { return }
                deliver(count)
            } catch {
                return endReading(error)
            }
        }
    }

    private func deliver(_ count: Int) {
        callOut {
            do throws(HTTP2Error) {
                // Sound: `count` bytes were just written into the buffer, and the session keeps
                // none.
                try unsafe session.receive(
                    UnsafeRawBufferPointer(rebasing: plaintextBuffer[..<count]))
            } catch {
                end(.http2(error))
            }
        }
    }

    /// TLS will not yield any more: the peer closed it, or it broke.
    private func endReading(_ error: TLSError) {
        if error.kind == .closed {
            flush()
            return end(.endOfFile)
        }
        // There may be an alert that tells the peer why.
        sendRest()
        end(.tls(error))
    }

    /// Reads and drops until the peer has closed too: closing a socket with unread bytes in it
    /// makes the kernel send a reset, which can destroy what the peer has not read yet.
    func lingerTurn() {
        guard state == .lingering else { return }
        if sendPending() != nil { return end(lingeringClosure) }
        if !tls.hasPendingCiphertext { StreamSocket.shutdownWriting(raw) }
        updateInterest()
        var budget = Self.turnBytesMax
        while budget > 0, state == .lingering {
            // Sound: the buffer lives as long as self.
            switch unsafe StreamSocket.read(raw, into: inputBuffer) {
            case .bytes(let count): budget -= count
            case .wouldBlock: return
            case .endOfFile, .failed: end(lingeringClosure)
            }
        }
    }
}
