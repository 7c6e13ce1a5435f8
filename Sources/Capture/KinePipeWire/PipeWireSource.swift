// A screen or a window of a Wayland desktop, which its compositor casts over PipeWire. Who may see what was settled before, between the
// person and the desktop's portal: this gets a connection and the number of a node.
import CPipeWire
import Glibc
import KineCapture
import KineMedia
import KinePlatform
import SystemPackage

/// A cast that gives frames. Created and used by the capture thread.
public final class PipeWireSource: CastSource {
    /// How a cast is read.
    public struct Options: Sendable {
        /// The frames a second that the compositor is not to exceed.
        public var highestRate: Int
        /// The pointer is drawn into the frames, where the compositor describes it beside them.
        public var showsCursor: Bool
        /// The factor by which the pointer's image is enlarged, from 1 on.
        public var cursorScale: Double

        public init(highestRate: Int, showsCursor: Bool, cursorScale: Double = 1) {
            self.highestRate = highestRate
            self.showsCursor = showsCursor
            self.cursorScale = cursorScale
        }
    }

    private let stream: CastStream
    private let reader: CastReader
    private var life: CastStateMachine
    private var frames = CastFrames()
    /// Nil: the pointer is not shown.
    private var cursor: CastCursor?
    /// The newest frame, and where it is. The compositor gets its buffer back when the next frame has come, or few others are left.
    private var held: (frame: CastFrames.Frame, place: CastReader.Place)?
    public private(set) var frameCount = 0
    /// Only whoever has asked the desktop for the cast knows it.
    public let position: (x: Int, y: Int)? = nil
    /// Buffers without a frame that have come since.
    private var buffersSinceFrame = 0
    /// The cast is open without a frame too.
    private let continues: Bool

    fileprivate init(
        descriptor: FileDescriptor?, node: UInt32, options: Options, limits: CastStateMachine.Limits, continues: Bool
    ) throws(VideoSourceError) {
        self.continues = continues
        stream = try CastStream(
            descriptor: descriptor, node: node, highestRate: options.highestRate)
        reader = CastReader(stream: stream)
        life = CastStateMachine(now: MonotonicClock.now(), limits: limits)
        cursor = options.showsCursor ? CastCursor(scale: options.cursorScale) : nil
    }

    /// There is a first frame, or it is not waited for.
    fileprivate var isOpen: Bool { frames.frame != nil || continues && isStreaming }
    /// A frame that is sent from now on arrives here. PipeWire starts a compositor without waiting for its reader, so an earlier one may be
    /// lost.
    fileprivate var isStreaming: Bool { stream.state == .streaming }

    public var size: PixelSize { frames.frame?.size ?? PixelSize(width: 0, height: 0) }
    public var orientation: Orientation { frames.frame?.orientation ?? .up }

    /// The instant at which the compositor says that the newest frame was shown, in nanoseconds of CLOCK_MONOTONIC: never before that of
    /// an earlier frame, never in the future. It changes in `processEvents` and `addDamage` only.
    public var presentationTime: Int64 { frames.frame?.presentationTime ?? 0 }

    public var descriptor: Int32 { stream.descriptor }
    public var deadline: Int64? { life.deadline }
    /// The compositor has few buffers, and without one it drops its frame.
    public var losesUnreadFrames: Bool { true }

    public func processEvents() throws(VideoSourceError) -> Bool {
        stream.iterate()
        frames.setFormat(stream.format)
        takeBuffers()
        if isOpen { life.noteFrame() }
        switch try life.advance(stream.state, awaiting: frames.awaited, at: MonotonicClock.now()) {
        case .pause: stream.setActive(false)
        case .resume: stream.setActive(true)
        case nil: break
        }
        return frames.hasChanged || frames.frame != nil && cursor?.hasChanged ?? false
    }

    /// Takes all buffers that have come: of frames, the newest alone is kept, with the damage of all. Each one's pointer counts, since an
    /// image comes only once.
    private func takeBuffers() {
        let now = MonotonicClock.now()
        while let taken = stream.next() {
            if let report = taken.cursor { cursor?.receive(report) }
            if frames.receive(taken.buffer, at: now) == .frame, let frame = frames.frame {
                giveBackHeld()
                held = (frame, .buffer(taken.number))
                frameCount += 1
                buffersSinceFrame = 0
            } else {
                buffersSinceFrame += 1
                // PipeWire takes back one buffer for each that comes, and this one has its turn before the one that came now.
                if buffersSinceFrame >= max(1, stream.bufferCount - 2) { copyHeld() }
                stream.giveBack(taken.number)
            }
        }
    }

    /// Compositors take their buffers in turn. Where that of a frame has its turn and is not back, what was to be sent is lost: a move of
    /// the pointer, or a frame.
    private func copyHeld() {
        guard let (frame, place) = held, case .buffer(let number) = place else { return }
        if let copy = reader.keep(frame, in: number) {
            held = (copy, .kept)
        } else {
            held = nil
            frames.noteLoss()
        }
        stream.giveBack(number)
    }

    private func giveBackHeld() {
        if case .buffer(let number) = held?.place { stream.giveBack(number) }
    }

    public func addDamage(to damage: inout DamageRegion) throws(VideoSourceError) {
        _ = try processEvents()
        guard let frame = frames.frame else { return }
        frames.addDamage(to: &damage)
        cursor?.place(inFrameAt: (frame.area.x, frame.area.y), damage: &damage)
    }

    public func read(_ region: DamageRegion, into receive: (FramePart) -> Void) throws(VideoSourceError) -> Bool {
        // A new format has taken the buffer away, or its memory has shrunk. The next frame is damaged as a whole, and not before it comes
        // is there anything to read again.
        guard let (frame, place) = held, region.size == frame.size else { return false }
        let isComplete = reader.reading(place) {
            region.rectangles().allSatisfy { reader.read($0, of: frame, in: place, cursor: cursor, into: receive) }
        }
        if !isComplete { frames.noteLoss() }
        return isComplete
    }
}

/// A cast that is being opened: it is open when its first frame is there. Nobody is asked for anything; a cast that gives no frame for
/// some seconds fails.
public final class PipeWireOpening: VideoSourceOpening {
    private let source: PipeWireSource

    /// - Parameters:
    ///   - descriptor: a connection with PipeWire, as the portal gives it, which this owns from now on, also where it throws; nil: the
    ///     user's own daemon, as the environment names it.
    ///   - node: the number of the node that the cast comes from.
    ///   - continues: the cast goes on where another has ended, whose last frame is still shown. It is open as soon as the compositor
    ///     sends, with a size of 0 × 0 until its first frame, which a still screen may not give for hours.
    public convenience init(
        descriptor: FileDescriptor?, node: UInt32, options: PipeWireSource.Options, continues: Bool = false
    ) throws(VideoSourceError) {
        try self.init(
            descriptor: descriptor, node: node, options: options, limits: continues ? .continuing : .standard,
            continues: continues)
    }

    init(
        descriptor: FileDescriptor?, node: UInt32, options: PipeWireSource.Options, limits: CastStateMachine.Limits,
        continues: Bool = false
    ) throws(VideoSourceError) {
        source = try PipeWireSource(
            descriptor: descriptor, node: node, options: options, limits: limits, continues: continues)
    }

    public var descriptor: Int32 { source.descriptor }
    public var deadline: Int64? { source.deadline }
    /// For tests, whose producers send one frame.
    var isStreaming: Bool { source.isStreaming }

    public func processEvents() throws(VideoSourceError) -> (any VideoSource)? { try openedSource() }

    /// `processEvents` for those who want to know more of the source.
    public func openedSource() throws(VideoSourceError) -> PipeWireSource? {
        _ = try source.processEvents()
        return source.isOpen ? source : nil
    }
}
