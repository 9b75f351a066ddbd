internal import Glibc

/// A file descriptor with one owner: it is closed when its owner goes, exactly once.
package struct OwnedDescriptor: ~Copyable, Sendable {
    /// The number the kernel knows it by; valid as long as this value lives.
    package let raw: Int32

    /// Takes over a descriptor that nobody else closes.
    ///
    /// - Parameter raw: an open descriptor.
    package init(owning raw: Int32) {
        precondition(raw >= 0, "not a descriptor")
        self.raw = raw
    }

    /// Gives the descriptor away without closing it.
    ///
    /// - Returns: the descriptor; the caller closes it.
    package consuming func release() -> Int32 {
        let raw = raw
        discard self
        return raw
    }

    deinit {
        // Not repeated on EINTR: Linux has freed the number by then, and another thread may own it.
        close(raw)
    }
}
