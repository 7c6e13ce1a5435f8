// A screen or a window of a Wayland desktop that its compositor casts by PipeWire. The person and the portal have
// settled the permission before: this gets a connection and the number of a node.
import CPipeWire
import KineCapture
import KineMedia
import KinePlatform
import SystemPackage

/// A cast that gives frames. Created and used by the capture thread.
public final class PipeWireSource: CastSource {
    /// How a cast is read.
    public struct Options: Sendable {
        /// The most frames a second that the compositor should send.
        public var highestRate: Int
        /// Say where the pointer is if the compositor sends it beside the frames.
        public var reportsPointer: Bool
        /// Whether the compositor's frames contain the pointer.
        public var paintsPointer: Bool
        /// Report the pointer for a recording's input track too.
        public var recordsPointer: Bool

        public init(
            highestRate: Int, reportsPointer: Bool, paintsPointer: Bool = false, recordsPointer: Bool = false
        ) {
            (self.highestRate, self.reportsPointer, self.paintsPointer) = (highestRate, reportsPointer, paintsPointer)
            self.recordsPointer = recordsPointer
        }
    }

    private let stream: CastStream
    private let reader: CastReader
    private var life: CastStateMachine
    private var frames = CastFrames()
    /// Nil: the pointer is not wanted.
    private var cursor: CastCursor?
    /// Nil: the pointer is not recorded.
    private var log: PointerLog?
    public let paintsPointer: Bool
    /// The newest frame and its place. Its buffer is given back after the next frame, or when few others are left.
    private var held: (frame: CastFrames.Frame, place: CastReader.Place)?
    public private(set) var frameCount = 0
    /// Only the code that asked the desktop for the cast knows it.
    public let position: (x: Int, y: Int)? = nil
    /// The buffers without a frame since the last frame.
    fileprivate private(set) var buffersSinceFrame = 0
    /// The number of frames at the end of a pause, and until when a newer one is waited for.
    private var discarded: (frameCount: Int, until: Int64)?
    /// The cast is open even without a frame.
    private let continues: Bool

    /// Nanoseconds for a frame that is newer than a pause. On a still screen there is none.
    private static let discardTimeout: Int64 = 300_000_000

    fileprivate init(
        descriptor: FileDescriptor?, node: UInt32, options: Options, limits: CastStateMachine.Limits, continues: Bool
    ) throws(VideoSourceError) {
        self.continues = continues
        stream = try CastStream(
            descriptor: descriptor, node: node, highestRate: options.highestRate)
        reader = CastReader(stream: stream)
        life = CastStateMachine(now: MonotonicClock.now(), limits: limits)
        cursor = options.reportsPointer ? CastCursor() : nil
        log = options.reportsPointer && options.recordsPointer ? PointerLog() : nil
        paintsPointer = options.paintsPointer
    }

    /// There is a first frame, or it is not required.
    fileprivate var isOpen: Bool { frames.frame != nil || continues && isStreaming }
    fileprivate var isStreaming: Bool { stream.state == .streaming }

    public var size: PixelSize { frames.frame?.size ?? PixelSize(width: 0, height: 0) }
    public var orientation: Orientation { frames.frame?.orientation ?? .up }

    public var presentationTime: Int64 { frames.frame?.presentationTime ?? 0 }

    public var descriptor: Int32 { stream.descriptor }
    public var deadline: Int64? { life.deadline }
    /// The compositor has few buffers, and drops its frame without one.
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

    /// Takes all buffers that have come. Keeps only the newest frame, with the damage of all; handles every pointer
    /// report, since an image comes only once.
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
                // PipeWire reuses buffers in order: the held one comes before the one that came now.
                if buffersSinceFrame >= max(1, stream.bufferCount - 2) { copyHeld() }
                stream.giveBack(taken.number)
            }
        }
    }

    /// Compositors use their buffers in turn. If a frame's buffer is due but not returned, the compositor loses the
    /// next output: a move of the pointer, or a frame.
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
        cursor?.place(inFrameAt: (frame.area.x, frame.area.y))
        if let cursor { log?.note(cursor.state, at: MonotonicClock.now()) }
    }

    public var pointer: PointerState? { cursor?.state }
    public func takeInput() -> [InputEvent] { log?.take() ?? [] }
    public func reportPointerAnew() { if log != nil { log = PointerLog() } }

    /// The newest frame may be the lock screen's that has paused the take: the desktop says that it is unlocked before it is painted.
    public func discardFrames() { discarded = (frameCount, MonotonicClock.now() + Self.discardTimeout) }

    public func read(_ region: DamageRegion, into receive: (FramePart) -> Void) throws(VideoSourceError) -> Bool {
        if let (count, until) = discarded {
            if frameCount == count, MonotonicClock.now() < until { return false }
            discarded = nil
        }
        // A new format has removed the buffer, or its memory has shrunk. The next frame is fully damaged; before it
        // there is nothing to read again.
        guard let (frame, place) = held, region.size == frame.size else { return false }
        let isComplete = reader.reading(place) {
            region.rectangles().allSatisfy { reader.read($0, of: frame, in: place, into: receive) }
        }
        if !isComplete { frames.noteLoss() }
        return isComplete
    }
}

/// A cast that is being opened, until its first frame. Asks no person; fails if no frame comes for some seconds.
public final class PipeWireOpening: VideoSourceOpening {
    private let source: PipeWireSource

    /// - Parameters:
    ///   - descriptor: a connection with PipeWire from the portal, owned by this even if it throws; nil: the user's
    ///     daemon, by the environment.
    ///   - node: the number of the cast's node.
    ///   - continues: the cast replaces another, whose last frame is still shown. It is open once the compositor sends,
    ///     with a size of 0 × 0 until its first frame, which may take hours on a still screen.
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
    /// For tests, whose producers send a first frame once. PipeWire starts a producer without waiting for its reader,
    /// so what comes before the first buffer may be lost.
    var receivesBuffers: Bool { source.isStreaming && source.buffersSinceFrame > 0 }

    public func processEvents() throws(VideoSourceError) -> (any VideoSource)? { try openedSource() }

    /// `processEvents` with the concrete type of the source.
    public func openedSource() throws(VideoSourceError) -> PipeWireSource? {
        _ = try source.processEvents()
        return source.isOpen ? source : nil
    }
}
