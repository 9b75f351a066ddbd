/// A value that belongs to one thread, inside an object, without the check for overlapping accesses
/// that Swift makes at run time for what an object stores.
///
/// The check costs some ten nanoseconds. That is nothing for most values and too much for one that
/// is touched several times for every request; such values are kept in this, and each has a line
/// beside it that says why no access can overlap another: one thread uses it, and what changes it
/// in place calls nothing that could come back to it.
///
/// *Ownership and thread*: the object's that keeps it, and its thread's.
@safe package struct ThreadBound<Value>: ~Copyable {
    @usableFromInline let place: UnsafeMutablePointer<Value>

    /// Keeps a value.
    ///
    /// - Parameter value: its first one.
    @inlinable
    package init(_ value: consuming Value) {
        unsafe place = .allocate(capacity: 1)
        unsafe place.initialize(to: value)
    }

    @inlinable
    deinit {
        // Sound: initialised from the beginning, and freed here only.
        unsafe place.deinitialize(count: 1)
        unsafe place.deallocate()
    }

    /// The value, read or changed where it is.
    @inlinable
    package var value: Value {
        @inline(__always)
        _read {
            // Sound: the place holds a value as long as self; accesses do not overlap, see above.
            yield unsafe place.pointee
        }
        @inline(__always)
        nonmutating _modify {
            // Sound: as above.
            yield unsafe &place.pointee
        }
    }
}
