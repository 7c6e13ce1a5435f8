// Memory for pixels that is given back by itself.

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

/// Memory that lives as long as this object.
package final class OwnedMemory: @unchecked Sendable {
    // Sendable: an address that never changes. The users decide which thread may use what.
    package let base: UnsafeMutableRawPointer

    package init(byteCount: Int) { base = .allocate(byteCount: byteCount, alignment: 64) }

    package convenience init(zeros byteCount: Int) {
        self.init(byteCount: byteCount)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    }

    deinit { base.deallocate() }
}
