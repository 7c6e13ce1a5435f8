// The layout of uncompressed frames in the memory that an engine shares with a receiver.
import KineMedia
import SystemPackage

/// The slots of a frame memory and the planes in each.
public struct FrameSlotLayout: Codable, Sendable, Equatable {
    public var pixelFormat: PixelFormat
    /// The frame's size in memory, in pixels; both sides even.
    public var size: PixelSize
    /// The size to show, in pixels; may be odd.
    public var visibleSize: PixelSize
    public var slotCount: Int
    /// Bytes from one slot to the next; the first begins at 0.
    public var slotBytes: Int
    /// For each plane, the bytes from the slot's first to its own, and from one row to the next.
    public var planeOffsets: [Int]
    public var planeStrides: [Int]
}

extension FrameSlotLayout {
    /// The most slots that a frame memory has.
    public static let slotLimit = 64

    public init(_ layout: FrameLayout, visibleSize: PixelSize, slotCount: Int) {
        self.init(
            pixelFormat: layout.pixelFormat, size: layout.size, visibleSize: visibleSize, slotCount: slotCount,
            slotBytes: layout.slotBytes, planeOffsets: layout.planeOffsets, planeStrides: layout.planeStrides)
    }

    public init(pixelFormat: PixelFormat, visibleSize: PixelSize, slotCount: Int) {
        self.init(
            FrameLayout(pixelFormat: pixelFormat, size: visibleSize.roundedUpToEven), visibleSize: visibleSize,
            slotCount: slotCount)
    }

    /// Bytes of all slots together.
    public var byteCount: Int { slotCount * slotBytes }

    /// For each plane, the used bytes of a row, and the rows.
    public var planeExtents: [(rowBytes: Int, rows: Int)] { pixelFormat.planeExtents(of: size) }

    /// The words of one frame's damage, as in `DamageRegion.words`.
    var damageWordCount: Int { (((size.width + 15) / 16 + 63) / 64) * ((size.height + 15) / 16) }

    /// Whether every plane is inside its slot. A reader checks this before it trusts a received layout.
    public var isValid: Bool {
        guard (2...1 << 15).contains(size.width), (2...1 << 15).contains(size.height), size.width % 2 == 0,
            size.height % 2 == 0, (0...1 << 15).contains(visibleSize.width), (0...1 << 15).contains(visibleSize.height),
            visibleSize.roundedUpToEven == size, (1...Self.slotLimit).contains(slotCount),
            slotBytes > 0, slotBytes <= 1 << 32, slotBytes % 4096 == 0
        else { return false }
        let extents = planeExtents
        guard planeOffsets.count == extents.count, planeStrides.count == extents.count else { return false }
        return extents.indices.allSatisfy { plane in
            let (offset, stride) = (planeOffsets[plane], planeStrides[plane])
            return offset >= 0 && offset <= slotBytes && stride >= extents[plane].rowBytes && stride <= 1 << 20
                && offset + stride * (extents[plane].rows - 1) + extents[plane].rowBytes <= slotBytes
        }
    }
}

/// A set of slots of a frame memory, by number, without allocation.
public struct FrameSlots: Sendable, Equatable, Sequence, ExpressibleByArrayLiteral {
    private var bits: UInt64 = 0

    public init(arrayLiteral slots: Int...) {
        for slot in slots { insert(slot) }
    }

    public var isEmpty: Bool { bits == 0 }
    public func contains(_ slot: Int) -> Bool { bits & (1 << UInt64(slot)) != 0 }
    public mutating func insert(_ slot: Int) { bits |= 1 << UInt64(slot) }
    public mutating func remove(_ slot: Int) { bits &= ~(1 << UInt64(slot)) }

    public struct Iterator: IteratorProtocol {
        fileprivate var bits: UInt64
        public mutating func next() -> Int? {
            guard bits != 0 else { return nil }
            defer { bits &= bits - 1 }
            return bits.trailingZeroBitCount
        }
    }

    public func makeIterator() -> Iterator { Iterator(bits: bits) }
}

/// Slots for frames in sealed shared memory: only its creator writes. `StreamSender` tracks the free slots.
public final class FrameMemory: Sendable {
    public let layout: FrameSlotLayout
    private let memory: SharedMemory

    /// Memory for `layout`, all zero. Pages that are never drawn cost nothing.
    public init(layout: FrameSlotLayout) throws(SharedMemory.Error) {
        precondition(layout.isValid, "the planes of a frame do not fit into its slot")
        self.layout = layout
        memory = try SharedMemory(name: "kinecast-frames", byteCount: layout.byteCount, access: .writableHereOnly)
    }

    /// The descriptor for the receiver; owned by this object.
    public var descriptor: FileDescriptor { memory.descriptor }

    /// The first of the slot's `layout.slotBytes` bytes. Valid as long as this object.
    public func slot(_ index: Int) -> UnsafeMutableRawPointer {
        precondition(index >= 0 && index < layout.slotCount, "no such slot")
        return memory.base + index * layout.slotBytes
    }
}
