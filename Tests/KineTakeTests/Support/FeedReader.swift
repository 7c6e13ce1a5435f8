// An extension's end of a feed, in a thread of the test.
import KineMedia
import KinePlatform
import KineRings
import SystemPackage
import Testing

@testable import KineTake

/// Reads a feed as an extension's process would, and keeps everything.
final class FeedReader: Sendable {
    struct Sample: Sendable {
        var type: SampleType
        var isPCM: Bool
        var isKeyframe: Bool
        var isDiscontinuity: Bool
        var time: MediaTime
        var duration: MediaTime
        var bytes: [UInt8]
        /// Of video: nil before the first change.
        var format: VideoFormat?
        /// CLOCK_MONOTONIC when it was read.
        var instant: Int64
    }

    struct Frame: Sendable {
        var time: MediaTime
        var skipped: UInt64
        var orientation: Orientation
        var damage: DamageRegion
        /// Each plane's rows one behind the other, padding left out.
        var planes: [[UInt8]]
        /// The planes of a reader that copies only damaged parts.
        var patched: [[UInt8]]
    }

    struct State {
        var samples: [Sample] = []
        var frames: [Frame] = []
        /// It holds the frame it takes next, and reads no sample, while this is set.
        var isHeld = false
        var isHolding = false
        var isOver = false
    }

    let feed: SampleFeed
    let state = Monitor(State())
    private let thread: DedicatedThread
    private let stop = WakeSignal()

    init(_ feed: SampleFeed) throws {
        self.feed = feed
        let receiver = try StreamReceiver(feed.stream, descriptors: feed.descriptors.map { try $0.duplicate() })
        let (state, stop) = (state, stop)
        thread = DedicatedThread(name: "reader") {
            var patched: [[UInt8]] = []
            while !state.withLock({ $0.isOver }) {
                do {
                    _ = WakeSignal.poll([stop.descriptor, receiver.wakeDescriptor.rawValue], until: nil)
                    stop.clear()
                    _ = receiver.clearWake()
                    try Self.readSamples(receiver, state)
                    try Self.readFrames(receiver, state, &patched)
                } catch {
                    Issue.record("\(error)")
                    return
                }
            }
        }
    }

    private static func readSamples(_ receiver: StreamReceiver, _ state: Monitor<State>) throws {
        while !state.withLock({ $0.isHeld }), let record = try receiver.nextRecord() {
            let sample = Sample(
                type: record.type, isPCM: record.isPCM, isKeyframe: record.isKeyframe,
                isDiscontinuity: record.missing > 0, time: record.presentationTime, duration: record.duration,
                bytes: Array(record.bytes), format: receiver.changedVideo?.format, instant: MonotonicClock.now())
            state.signal { $0.samples.append(sample) }
            receiver.advance(past: record)
        }
    }

    private static func readFrames(
        _ receiver: StreamReceiver, _ state: Monitor<State>, _ patched: inout [[UInt8]]
    ) throws {
        guard let layout = receiver.slotLayout else { return }
        while let frame = try receiver.nextFrame() {
            defer { receiver.release(frame) }
            state.signal { $0.isHolding = true }
            _ = state.wait { $0.isHeld && !$0.isOver ? nil : true }
            let planes = layout.planeExtents.indices.map { plane in
                copy(plane, of: frame, layout)
            }
            let damage = try #require(DamageRegion(size: layout.size, words: frame.damageWords))
            if patched.isEmpty { patched = planes.map { [UInt8](repeating: 0, count: $0.count) } }
            for rect in damage.rectangles() { patch(&patched, from: planes, rect, layout) }
            let result = Frame(
                time: frame.presentationTime, skipped: frame.skipped, orientation: frame.orientation, damage: damage,
                planes: planes, patched: patched)
            state.signal {
                $0.isHolding = false
                $0.frames.append(result)
            }
        }
    }

    private static func copy(
        _ plane: Int, of frame: StreamReceiver.Frame, _ layout: FrameSlotLayout
    ) -> [UInt8] {
        let extent = layout.planeExtents[plane]
        var result: [UInt8] = []
        for row in 0..<extent.rows {
            let start = frame.base + layout.planeOffsets[plane] + row * layout.planeStrides[plane]
            result += UnsafeRawBufferPointer(start: start, count: extent.rowBytes)
        }
        return result
    }

    private static func patch(
        _ target: inout [[UInt8]], from source: [[UInt8]], _ rect: PixelRect, _ layout: FrameSlotLayout
    ) {
        for (plane, extent) in layout.planeExtents.enumerated() {
            // Bytes of the plane for a pixel of the frame, across and down, doubled.
            let across = 2 * extent.rowBytes / layout.size.width
            let down = 2 * extent.rows / layout.size.height
            for row in rect.y * down / 2..<rect.maxY * down / 2 {
                let first = row * extent.rowBytes + rect.x * across / 2
                let last = row * extent.rowBytes + rect.maxX * across / 2
                target[plane].replaceSubrange(first..<last, with: source[plane][first..<last])
            }
        }
    }

    var samples: [Sample] { state.withLock { $0.samples } }
    var frames: [Frame] { state.withLock { $0.frames } }

    /// Holds the next frame, and everything behind it, until `go`.
    func hold() { state.signal { $0.isHeld = true } }

    func go() {
        state.signal { $0.isHeld = false }
        stop.signal()
    }

    /// Waits until the condition holds.
    func expect(
        _ what: String, seconds: Int64 = 300, sourceLocation: SourceLocation = #_sourceLocation,
        _ condition: (State) -> Bool
    ) {
        let deadline = MonotonicClock.now() + seconds * 1_000_000_000
        if state.wait(until: deadline, for: { condition($0) ? true : nil }) == nil {
            Issue.record("\(what) never came", sourceLocation: sourceLocation)
        }
    }

    func end() {
        state.signal {
            $0.isOver = true
            $0.isHeld = false
        }
        stop.signal()
        thread.join()
    }
}
