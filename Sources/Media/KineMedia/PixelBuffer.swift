// A reader's view of an uncompressed frame. Its maker owns the memory and decides how long the view is valid.

/// The planes of a frame, to be read. It cannot be copied, and its planes cannot leave the closure that borrows it.
public struct PixelBuffer: ~Copyable {
    /// One plane in memory that the maker of a frame owns.
    public struct PlaneMemory {
        fileprivate let base: UnsafeRawPointer
        fileprivate let stride: Int
        fileprivate let rowBytes: Int
        fileprivate let rows: Int

        /// - Parameters:
        ///   - base: the first byte of the first row. Must be valid as long as the buffer.
        ///   - stride: bytes from one row to the next.
        ///   - rowBytes: the used bytes of a row.
        ///   - rows: the number of rows.
        public init(base: UnsafeRawPointer, stride: Int, rowBytes: Int, rows: Int) {
            self.base = base
            self.stride = stride
            self.rowBytes = rowBytes
            self.rows = rows
        }
    }

    /// One plane, borrowed from its frame.
    public struct Plane: ~Escapable {
        private let memory: PlaneMemory

        @_lifetime(borrow frame)
        fileprivate init(_ memory: PlaneMemory, of frame: borrowing PixelBuffer) { self.memory = memory }

        /// The used bytes of a row.
        public var rowBytes: Int { memory.rowBytes }
        public var rows: Int { memory.rows }
        /// The first byte of the first row, for C code.
        package var base: UnsafeRawPointer { memory.base }
        /// Bytes from one row to the next.
        package var stride: Int { memory.stride }

        /// The bytes of one row.
        @_lifetime(copy self)
        public func row(_ index: Int) -> Span<UInt8> {
            precondition(index >= 0 && index < rows, "no such row")
            let bytes = (base + index * stride).assumingMemoryBound(to: UInt8.self)
            return _overrideLifetime(Span(_unsafeStart: bytes, count: rowBytes), copying: self)
        }
    }

    public let format: PixelFormat
    /// The frame's size in memory, in pixels; both sides even.
    public let size: PixelSize
    /// The visible size in pixels. A side may be odd, and is then one smaller.
    public let visibleSize: PixelSize
    // At most three, not in an array, which would allocate for every frame.
    private let first: PlaneMemory
    private let second: PlaneMemory?
    private let third: PlaneMemory?

    public init(
        format: PixelFormat, size: PixelSize, visibleSize: PixelSize, first: PlaneMemory, second: PlaneMemory? = nil,
        third: PlaneMemory? = nil
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
        @_lifetime(borrow self)
        get { Plane(memory(ofPlane: index), of: self) }
    }

    private func memory(ofPlane index: Int) -> PlaneMemory {
        switch (index, second, third) {
        case (0, _, _): first
        case (1, let plane?, _): plane
        case (2, _, let plane?): plane
        default: preconditionFailure("no such plane")
        }
    }

    /// A copy: plane after plane and row after row, without gaps.
    public func copy() -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity([first, second, third].reduce(0) { $0 + ($1.map { $0.rowBytes * $0.rows } ?? 0) })
        for index in 0..<planeCount {
            let plane = self[plane: index]
            for row in 0..<plane.rows { plane.row(row).withUnsafeBufferPointer { bytes.append(contentsOf: $0) } }
        }
        return bytes
    }
}
