// The memory of the uncompressed frames that an engine draws and a receiver reads in place.
import KineMedia
import SystemPackage

/// Slots for frames in sealed shared memory: its maker writes, the others can only read. `StreamSender` says which slot is free
/// to draw in.
public final class FrameMemory: Sendable {
    public let layout: FrameSlotLayout
    private let memory: SharedMemory

    /// Memory for `layout`, all zero. Pages that are never drawn in cost nothing.
    public init(layout: FrameSlotLayout) throws(SharedMemory.Error) {
        precondition(layout.isValid, "the planes of a frame do not fit into its slot")
        self.layout = layout
        memory = try SharedMemory(name: "kinecast-frames", byteCount: layout.byteCount, access: .writableHereOnly)
    }

    /// To be passed to the receiver; owned by this object.
    public var descriptor: FileDescriptor { memory.descriptor }

    /// The first byte of a slot; `layout.slotBytes` follow. Valid as long as this object.
    public func slot(_ index: Int) -> UnsafeMutableRawPointer {
        precondition(index >= 0 && index < layout.slotCount, "no such slot")
        return memory.base + index * layout.slotBytes
    }

    /// The first byte of a plane of a slot.
    public func plane(_ plane: Int, ofSlot index: Int) -> UnsafeMutablePointer<UInt8> {
        (slot(index) + layout.planeOffsets[plane]).assumingMemoryBound(to: UInt8.self)
    }

    /// A slot as the encoder and the converters see it; nil unless the pixel format is I420.
    public func frame(inSlot index: Int) -> I420Frame? {
        guard layout.pixelFormat == .i420 else { return nil }
        return I420Frame(
            size: layout.size, y: plane(0, ofSlot: index), u: plane(1, ofSlot: index), v: plane(2, ofSlot: index),
            lumaStride: layout.planeStrides[0], chromaStride: layout.planeStrides[1])
    }
}
