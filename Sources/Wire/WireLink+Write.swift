internal import HTTP2
internal import LinuxIO
internal import TLS

/// From the session to the socket.
extension WireLink {
    /// Sends what the session has: all waiting frames, in full TLS records, in one write as a rule.
    /// Inside a callback it does nothing: the turn that the callback runs in ends with a flush.
    func flush() {
        guard isLive, !isBusy, !isWriteBroken else { return }
        var hasMore = true
        while hasMore {
            hasMore = encrypt()
            guard isLive, writeCiphertext() else { return }
            hasMore = hasMore && !tls.hasPendingCiphertext
        }
        updateInterest()
        if state == .open, !tls.hasPendingCiphertext, session.isFinished {
            sayGoodbye(session.failure.map { .http2($0) } ?? .byUs)
        }
    }

    /// Turns waiting frames into records. True: it stopped at the bound, there may be more.
    private func encrypt(upTo bytesMax: Int = WireLink.pendingBytesMax) -> Bool {
        while state == .open {
            guard pendingBytes < bytesMax else { return true }
            switch takeOutput() {
            case .some: continue
            case .nothing: return false
            case .failed(let closure): end(closure)
            }
        }
        return false
    }

    private enum Taken {
        case nothing
        case some
        case failed(WireClosure)
    }

    private func takeOutput() -> Taken {
        var taken = Taken.nothing
        callOut {
            do throws(HTTP2Error) {
                taken = try unsafe session.takeOutput(maximumBytes: Self.outputBytes) { frames in
                    guard unsafe !frames.isEmpty else { return .nothing }
                    do throws(TLSError) {
                        // Sound: TLS copies what it encrypts.
                        try unsafe tls.write(frames)
                        return .some
                    } catch {
                        return .failed(.tls(error))
                    }
                }
            } catch {
                taken = .failed(.http2(error))
            }
        }
        return taken
    }

    private var pendingBytes: Int {
        // Sound: only the size is looked at.
        unsafe tls.withPendingCiphertext { $0.count }
    }

    // MARK: - Ciphertext

    /// Gives the socket what it takes. False: it broke, and the link is over.
    private func writeCiphertext() -> Bool {
        guard let error = sendPending() else { return true }
        // The peer takes no more, but what it sent before may still be in the socket.
        isWriteBroken = true
        while readTurn() {}
        end(.system(error))
        return false
    }

    /// Sends a last alert or farewell as far as the socket takes it: the link is over anyway.
    func sendRest() { _ = sendPending() }

    /// Gives the socket what it takes; returns why it takes no more, ever.
    func sendPending() -> SystemError? {
        while tls.hasPendingCiphertext {
            // Sound: the bytes are lent for the call.
            let result = unsafe tls.withPendingCiphertext {
                unsafe StreamSocket.write(raw, from: $0)
            }
            switch result {
            case .bytes(let count): tls.consumeCiphertext(count)
            case .wouldBlock, .endOfFile: return nil
            case .failed(let error): return error
            }
        }
        return nil
    }

    // MARK: - Farewell

    /// The orderly end of an open link, for the reason given.
    func sayGoodbye(_ closure: WireClosure) {
        isCloseWanted = false
        if isEndAnnounced, !session.isFinished { announceEnd() }
        // All of it: nothing is pulled from the session after this.
        _ = encrypt(upTo: .max)
        guard state == .open else { return }
        tls.close()
        if sendPending() != nil || !lingers { return end(closure) }
        state = .lingering
        pauseReading(false)
        lingeringClosure = closure
        session.tearDown()
        lingerTurn()
    }
}
