// COPY in both directions. While a COPY runs the connection can do nothing else, so both forms
// are closures that own it for their length.

internal import CPostgreSQL

extension PGConnection {
    /// Runs `COPY … TO STDOUT` and hands over the data as it comes.
    ///
    /// If `body` throws, the server is asked to stop, the rest is drained, and the error passed on.
    ///
    /// - Parameters:
    ///   - sql: The COPY statement.
    ///   - name: What to call it in errors.
    ///   - body: Gets each message's bytes, valid only during the call.
    /// - Throws: What `body` throws, or what the server answered.
    ///
    /// *C:* `PQgetCopyData`. *Cost:* libpq allocates and frees one buffer per message.
    package func copyOut<E: PGErrorWrapping>(
        _ sql: String, name: String, _ body: (RawSpan) throws(E) -> Void
    ) throws(E) {
        do throws(PGError) {
            try startCopy(sql, name: name, expecting: PGRES_COPY_OUT)
        } catch {
            throw E(error)
        }
        while true {
            var bytes: UnsafeMutablePointer<CChar>? = nil
            // Sound: libpq sets the pointer to a buffer of the returned length, ours to free.
            let count = unsafe PQgetCopyData(handle, &bytes, 0)
            guard count > 0, let start = unsafe bytes else { break }
            defer { unsafe PQfreemem(start) }
            do throws(E) {
                let message = unsafe UnsafeRawBufferPointer(start: start, count: Int(count))
                try body(unsafe message.bytes)
            } catch {
                abandonCopyOut()
                throw error
            }
        }
        do throws(PGError) {
            try finishCopy(name: name)
        } catch {
            throw E(error)
        }
    }

    /// Runs `COPY … FROM STDIN (FORMAT binary)` with rows that `body` writes.
    ///
    /// If `body` throws, the COPY is failed on purpose and the error passed on; the surrounding
    /// transaction must be rolled back.
    ///
    /// - Parameters:
    ///   - sql: The COPY statement.
    ///   - name: What to call it in errors.
    ///   - body: Writes rows and calls ``BinaryCopyWriter/flushIfFull(_:)`` through the second
    ///     argument now and then, so that memory stays bounded.
    /// - Returns: The number of rows that the server stored.
    /// - Throws: What `body` throws, or what the server answered.
    ///
    /// *C:* `PQputCopyData`, `PQputCopyEnd`.
    @discardableResult
    package func copyIn<E: PGErrorWrapping>(
        _ sql: String, name: String,
        _ body: (BinaryCopyWriter, _ flushIfFull: () throws(E) -> Void) throws(E) -> Void
    ) throws(E) -> Int {
        do throws(PGError) {
            try startCopy(sql, name: name, expecting: PGRES_COPY_IN)
        } catch {
            throw E(error)
        }
        copyBuffer.begin()
        do throws(E) {
            try body(copyBuffer) { () throws(E) in
                guard self.copyBuffer.isFull else { return }
                do throws(PGError) {
                    try self.sendCopyBuffer(name: name)
                } catch {
                    throw E(error)
                }
            }
        } catch {
            // The message goes to the server's log, so it says nothing about the data.
            _ = unsafe PQputCopyEnd(handle, "given up by the client")
            drain()
            throw error
        }
        copyBuffer.end()
        do throws(PGError) {
            try sendCopyBuffer(name: name)
            // Sound: the handle is valid until deinit.
            guard unsafe PQputCopyEnd(handle, nil) == 1 else {
                throw connectionError(attempted: name)
            }
            return try finishCopy(name: name)
        } catch {
            throw E(error)
        }
    }

    private func startCopy(
        _ sql: String, name: String, expecting status: ExecStatusType
    ) throws(PGError) {
        // Sound: the handle is valid, the string lives for the call.
        let result = try answer(unsafe PQsendQuery(handle, sql), name)
        guard result.status == status else {
            drain()
            throw PGError(attempted: name, message: "the statement is not the COPY it should be")
        }
    }

    private func sendCopyBuffer(name: String) throws(PGError) {
        let sent = unsafe copyBuffer.withBytes { bytes in
            // Sound: the bytes stay in place during the call, which copies them. The buffer is
            // flushed at some 256 KiB, far below the C int limit.
            unsafe PQputCopyData(
                handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
        }
        copyBuffer.removeAll()
        guard sent == 1 else {
            // A server that failed the COPY has said why; libpq keeps the answer for us.
            if isUsable { _ = unsafe PQputCopyEnd(handle, nil) }
            try finishCopy(name: name)
            throw connectionError(attempted: name)
        }
    }

    @discardableResult
    private func finishCopy(name: String) throws(PGError) -> Int {
        // Sound: the handle is valid until deinit.
        try answer(1, name).affectedRows
    }

    private func abandonCopyOut() {
        // Best effort: without a cancel the drain below just takes longer.
        if let canceller = try? makeCanceller() { canceller.cancel() }
        while true {
            var bytes: UnsafeMutablePointer<CChar>? = nil
            // Sound: as in copyOut; freed at once.
            let count = unsafe PQgetCopyData(handle, &bytes, 0)
            if let bytes = unsafe bytes { unsafe PQfreemem(bytes) }
            if count <= 0 { break }
        }
        drain()
    }

    /// Reads and frees results until there are none, so that the next statement can be sent.
    private func drain() {
        // Sound: each result is freed once; the loop ends because a COPY result is never left open
        // here and a lost connection gives NULL.
        while let result = unsafe PQgetResult(handle) {
            let status = unsafe PQresultStatus(result)
            unsafe PQclear(result)
            if status == PGRES_COPY_IN || status == PGRES_COPY_OUT { break }
        }
    }
}
