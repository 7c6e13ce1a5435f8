// A read-only view of a stream's memory: for its extension or client, and for an app to which an extension passes
// frames.
import CSharedAtomics
import KineMedia
import SystemPackage

/// A read-only mapping of a stream's samples and frames. It checks every position that a caller passes.
public final class StreamView: Sendable {
    public let frameLayout: FrameSlotLayout?
    let layout: SamplesLayout
    let samples: SharedMemory
    let frames: SharedMemory?

    /// A frame in its slot.
    public struct Frame {
        public var presentationTime: MediaTime
        public var duration: MediaTime
        public var orientation: Orientation
        /// The slot's first byte; the layout says where the planes are.
        public var base: UnsafeRawPointer
        /// The difference from the frame that the stream's receiver took previously, as `DamageRegion.words`.
        public var damageWords: UnsafeBufferPointer<UInt64>
    }

    /// Maps the memory of the samples and that of the frames, if any. Owns the descriptors; closes them if it throws.
    public init(
        _ stream: StreamDescription, samples samplesMemory: FileDescriptor, frames framesMemory: FileDescriptor?
    ) throws(StreamReceiver.Error) {
        var left = [samplesMemory, framesMemory].compactMap(\.self)[...]
        defer { for descriptor in left { try? descriptor.close() } }
        guard stream.frames?.isValid ?? true, stream.sampleRingBytes > 0 else { throw .invalidLayout }
        let layout = SamplesLayout(frames: stream.frames, ringBytes: stream.sampleRingBytes)
        guard layout.ringBytes == stream.sampleRingBytes, (stream.frames == nil) == (framesMemory == nil) else {
            throw .invalidLayout
        }
        self.layout = layout
        frameLayout = stream.frames
        do throws(SharedMemory.Error) {
            left = left.dropFirst()
            samples = try SharedMemory(
                adopting: samplesMemory, byteCount: layout.byteCount, writable: false, mirroring: layout.ringOffset)
            if let frameLayout, let framesMemory {
                left = []
                frames = try SharedMemory(adopting: framesMemory, byteCount: frameLayout.byteCount, writable: false)
            } else {
                frames = nil
            }
        } catch {
            throw .memory(error)
        }
    }

    /// The memory of the samples and that of the frames, if any. Owned by this object.
    public var descriptors: [FileDescriptor] { [samples.descriptor] + (frames.map { [$0.descriptor] } ?? []) }

    /// The frame in a slot; nil if there is no such slot, or if it has another frame.
    public func frame(slot: Int, sequence: UInt64) -> Frame? {
        guard let frameLayout, let frames, (0..<frameLayout.slotCount).contains(slot) else { return nil }
        typealias Entry = SamplesLayout.Entry
        let entry = samples.base + layout.entry(ofSlot: slot)
        let time = MediaTime(nanoseconds: entry.load(fromByteOffset: Entry.presentationTime, as: Int64.self))
        let duration = MediaTime(nanoseconds: entry.load(fromByteOffset: Entry.duration, as: Int64.self))
        guard kine_atomic_load_relaxed(entry + Entry.sequence) == sequence, Self.areTimes(time, duration),
            let orientation = Orientation(rawValue: Int(entry.load(fromByteOffset: Entry.orientation, as: Int64.self)))
        else { return nil }
        return Frame(
            presentationTime: time, duration: duration,
            orientation: orientation, base: UnsafeRawPointer(frames.base + slot * frameLayout.slotBytes),
            damageWords: UnsafeBufferPointer(
                start: (entry + Entry.damage).assumingMemoryBound(to: UInt64.self), count: layout.damageWords))
    }

    /// Whether sums of the times, which apps compute, do not overflow: at most 36 years from the beginning.
    private static func areTimes(_ time: MediaTime, _ duration: MediaTime) -> Bool {
        max(time.nanoseconds.magnitude, duration.nanoseconds.magnitude) <= 1 << 60
    }

    /// Bytes written to the ring since its beginning.
    var writtenPosition: UInt64 { kine_atomic_load_acquire(samples.base + SamplesLayout.writePosition) }

    /// The type of the sample that begins at a position of the ring; nil if there is none, or if its type is unknown.
    public func recordType(at position: UInt64) -> SampleType? { record(at: position)?.header.type }

    /// The header and the payload of the sample that begins at a position of the ring, if there is one.
    func record(at position: UInt64) -> (header: RecordHeader, payload: UnsafeRawBufferPointer)? {
        let written = writtenPosition
        let offset = layout.ringOffset + Int(position & UInt64(layout.ringBytes - 1))
        guard position % 8 == 0, written > position, written - position <= UInt64(layout.ringBytes),
            written - position >= UInt64(RecordHeader.byteCount),
            let header = RecordHeader(reading: samples.base + offset, position: position),
            UInt64(header.recordBytes) <= written - position, Self.areTimes(header.presentationTime, header.duration)
        else { return nil }
        let start = samples.base + offset + RecordHeader.byteCount
        return (header, UnsafeRawBufferPointer(start: start, count: header.payloadBytes))
    }
}
