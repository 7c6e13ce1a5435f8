// Memory that is used again and again.

/// Memory that only grows.
package struct ScratchMemory: ~Copyable {
    private var bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    package init() {}

    deinit { bytes.deallocate() }

    /// At least `count` bytes. The next call may destroy their contents.
    package mutating func memory(_ count: Int) -> UnsafeMutableRawPointer {
        if let base = bytes.baseAddress, count <= bytes.count { return base }
        bytes.deallocate()
        let base = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 64)
        bytes = UnsafeMutableRawBufferPointer(start: base, count: count)
        return base
    }
}
