internal import CNGHTTP2

/// The memory of one nghttp2 session: what it frees is kept by size and given out again.
///
/// Each request costs nghttp2 four allocations: the stream, its two frames, and the value of a
/// field of the answer. Hundreds of requests are under way at once and end together, which is more
/// than the C library keeps at hand for a thread, so its slow path was taken for most of them.
///
/// A block has a header that says how large it is, because nghttp2 does not say it when it frees.
/// Kept are no more blocks of a size than were in use at once; all go when this object goes.
///
/// - Ownership and thread: the session that made it, on its thread.
/// - C: `nghttp2_mem`
@safe final class SessionMemory {
    /// By size: the first block that is free; it begins with the address of the next.
    private let lists: UnsafeMutablePointer<UnsafeMutableRawPointer?>

    init() {
        unsafe lists = .allocate(capacity: MemoryBlock.listCount)
        unsafe lists.initialize(repeating: nil, count: MemoryBlock.listCount)
    }

    deinit {
        // Sound: the session is gone, so every block is in a list, or was freed at once.
        for index in 0..<MemoryBlock.listCount {
            while let bytes = unsafe MemoryBlock.pop(index, lists) {
                unsafe MemoryBlock.destroy(bytes)
            }
        }
        unsafe lists.deallocate()
    }

    /// What nghttp2 is to allocate with; valid as long as this object.
    var functions: nghttp2_mem {
        unsafe nghttp2_mem(
            mem_user_data: UnsafeMutableRawPointer(lists), malloc: allocateBlock, free: freeBlock,
            calloc: allocateCleared, realloc: resizeBlock)
    }
}

/// Blocks of memory and their lists. Addresses are those of the bytes behind a block's header.
private enum MemoryBlock {
    typealias Lists = UnsafeMutablePointer<UnsafeMutableRawPointer?>

    /// Sizes are rounded up to multiples of this.
    static let stepBytes = 64
    /// The list 0 is never used; blocks larger than the last one's are not kept.
    static let listCount = 9
    /// Room for the size, and so much that the bytes behind it are aligned for everything.
    private static let headerBytes = 16

    static func list(for size: Int) -> Int { (max(size, 1) + stepBytes - 1) / stepBytes }

    /// Takes a block out of a list.
    @inline(__always)
    static func pop(_ list: Int, _ lists: Lists) -> UnsafeMutableRawPointer? {
        // Sound: the list is below `listCount`; a free block holds the next one's address.
        guard let bytes = unsafe lists[list] else { return nil }
        unsafe lists[list] = unsafe bytes.load(as: UnsafeMutableRawPointer?.self)
        return unsafe bytes
    }

    /// Puts a block back.
    @inline(__always)
    static func push(_ bytes: UnsafeMutableRawPointer, _ list: Int, _ lists: Lists) {
        // Sound: nobody uses the bytes any more, of which there are `stepBytes` at least.
        unsafe bytes.storeBytes(of: lists[list], as: UnsafeMutableRawPointer?.self)
        unsafe lists[list] = unsafe bytes
    }

    /// A new block for at least `size` bytes.
    static func make(_ size: Int) -> UnsafeMutableRawPointer {
        let capacity = list(for: size) * stepBytes
        let start = UnsafeMutableRawPointer.allocate(
            byteCount: headerBytes + capacity, alignment: headerBytes)
        // Sound: the header lies at the block's start.
        unsafe start.storeBytes(of: capacity, as: Int.self)
        return unsafe start + headerBytes
    }

    static func destroy(_ bytes: UnsafeMutableRawPointer) {
        // Sound: `make` put the block's start there.
        unsafe (bytes - headerBytes).deallocate()
    }

    /// How many bytes a block has room for.
    @inline(__always)
    static func capacity(_ bytes: UnsafeMutableRawPointer) -> Int {
        // Sound: `make` put it there.
        unsafe (bytes - headerBytes).load(as: Int.self)
    }
}

// The C functions. Each gets the lists as user data; they live as long as the session.

private func allocateBlock(
    _ size: Int, _ userData: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
    guard let lists = unsafe userData?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self) else {
        return nil
    }
    let list = MemoryBlock.list(for: size)
    if list < MemoryBlock.listCount, let bytes = unsafe MemoryBlock.pop(list, lists) {
        return unsafe bytes
    }
    return unsafe MemoryBlock.make(size)
}

private func freeBlock(_ bytes: UnsafeMutableRawPointer?, _ userData: UnsafeMutableRawPointer?) {
    guard let bytes = unsafe bytes,
        let lists = unsafe userData?.assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
    else { return }
    let list = unsafe MemoryBlock.capacity(bytes) / MemoryBlock.stepBytes
    if list < MemoryBlock.listCount {
        unsafe MemoryBlock.push(bytes, list, lists)
    } else {
        unsafe MemoryBlock.destroy(bytes)
    }
}

private func allocateCleared(
    _ count: Int, _ size: Int, _ userData: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
    let (total, isOver) = count.multipliedReportingOverflow(by: size)
    guard !isOver, let bytes = unsafe allocateBlock(total, userData) else { return nil }
    // Sound: the block has room for `total` bytes.
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0, count: total)
    return unsafe bytes
}

private func resizeBlock(
    _ old: UnsafeMutableRawPointer?, _ size: Int, _ userData: UnsafeMutableRawPointer?
) -> UnsafeMutableRawPointer? {
    guard let old = unsafe old else { return unsafe allocateBlock(size, userData) }
    let capacity = unsafe MemoryBlock.capacity(old)
    if size <= capacity { return unsafe old }
    guard let bytes = unsafe allocateBlock(size, userData) else { return nil }
    // Sound: both blocks have room for `capacity` bytes, and are not the same.
    unsafe bytes.copyMemory(from: old, byteCount: capacity)
    unsafe freeBlock(old, userData)
    return unsafe bytes
}
