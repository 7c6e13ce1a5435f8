// An uncompressed frame as a reader sees it. A view only: its maker owns the memory and says how long it lasts.

/// The planes of a frame, to be read. It cannot be copied, so that it does not outlive the closure it is lent to.
public struct PixelBuffer: ~Copyable {
    /// One plane. Its pointer is valid as long as the buffer.
    public struct Plane {
        /// The first byte of the first row.
        public let base: UnsafeRawPointer
        /// Bytes from one row to the next.
        public let stride: Int
        /// Bytes of a row that hold pixels.
        public let rowBytes: Int
        public let rows: Int

        public init(base: UnsafeRawPointer, stride: Int, rowBytes: Int, rows: Int) {
            self.base = base
            self.stride = stride
            self.rowBytes = rowBytes
            self.rows = rows
        }

        /// The bytes of one row.
        public func row(_ index: Int) -> UnsafeRawBufferPointer {
            precondition(index >= 0 && index < rows, "no such row")
            return UnsafeRawBufferPointer(start: base + index * stride, count: rowBytes)
        }
    }

    public let format: PixelFormat
    /// The frame's size in memory, in pixels; both sides even.
    public let size: PixelSize
    /// The size to show, in pixels. May be odd, and is then one smaller.
    public let visibleSize: PixelSize
    // Three at most, not in an array: making one would allocate for every frame.
    private let first: Plane
    private let second: Plane?
    private let third: Plane?

    public init(
        format: PixelFormat, size: PixelSize, visibleSize: PixelSize, first: Plane, second: Plane? = nil,
        third: Plane? = nil
    ) {
        self.format = format
        self.size = size
        self.visibleSize = visibleSize
        self.first = first
        self.second = second
        self.third = third
    }

    /// I420: three (Y, U, V). NV12: two (Y, UV). BGRA: one.
    public var planeCount: Int { third != nil ? 3 : second != nil ? 2 : 1 }

    /// A plane, from 0.
    public subscript(plane index: Int) -> Plane {
        switch (index, second, third) {
        case (0, _, _): first
        case (1, let plane?, _): plane
        case (2, _, let plane?): plane
        default: preconditionFailure("no such plane")
        }
    }

    /// A copy that can be kept: plane after plane and row after row, without gaps.
    public func copy() -> [UInt8] {
        var bytes: [UInt8] = []
        let planes = (0..<planeCount).map { self[plane: $0] }
        bytes.reserveCapacity(planes.reduce(0) { $0 + $1.rowBytes * $1.rows })
        for plane in planes {
            for row in 0..<plane.rows { bytes.append(contentsOf: plane.row(row)) }
        }
        return bytes
    }
}
