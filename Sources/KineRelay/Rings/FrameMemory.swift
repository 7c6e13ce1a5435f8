// The memory of the uncompressed frames that an engine draws and a receiver reads in place.
import KineMedia
import SystemPackage

/// Slots for frames in sealed shared memory: its maker writes, the others can only read. `StreamSender` knows the free slots.
public final class FrameMemory: Sendable {
    public let layout: FrameSlotLayout
    private let memory: SharedMemory

    /// Memory for `layout`, all zero. Pages that are never drawn in cost nothing.
    public init(layout: FrameSlotLayout) throws(SharedMemory.Error) {
        precondition(layout.isValid, "the planes of a frame do not fit into its slot")
        self.layout = layout
        memory = try SharedMemory(name: "kinecast-frames", byteCount: layout.byteCount, access: .writableHereOnly)
    }

    /// The descriptor for the receiver; owned by this object.
    public var descriptor: FileDescriptor { memory.descriptor }

    /// The first byte of a slot; `layout.slotBytes` follow. Valid as long as this object.
    public func slot(_ index: Int) -> UnsafeMutableRawPointer {
        precondition(index >= 0 && index < layout.slotCount, "no such slot")
        return memory.base + index * layout.slotBytes
    }
}
