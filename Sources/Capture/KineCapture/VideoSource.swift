// Sources of video. One thread waits for several sources in one poll, asks those with events, and reads their changes.
// It waits for openings in the same way, since a person may have to answer a question first.
import KineMedia

/// An open source of frames. Used by one thread.
public protocol VideoSource: AnyObject {
    /// The frame's size in pixels. Changes only in `processEvents` and `addDamage`.
    var size: PixelSize { get }

    /// The rotation that makes the source's frames upright. Changes only in `processEvents` and `addDamage`.
    var orientation: Orientation { get }

    /// For poll: readable when the source has events. The source owns it and never changes it; negative: none.
    var descriptor: Int32 { get }

    /// The latest time to call `processEvents` if there are no events, in nanoseconds of CLOCK_MONOTONIC; nil: never.
    var deadline: Int64? { get }

    /// The source loses unread frames. Call `processEvents` whenever the descriptor is readable, even in a pause.
    var losesUnreadFrames: Bool { get }

    /// Why the source temporarily has no new frames; nil: it works. The take shows the last frame until new ones come,
    /// or until the source throws.
    var interruption: SourceInterruption? { get }

    /// The excluded windows at the last search. Nil before the first search, and if no window is excluded.
    var exclusionFindings: ExclusionFindings? { get }

    /// The pointer; nil: there is none, the source was not asked for it, or the frames contain it. Changes only in
    /// `addDamage`.
    var pointer: PointerState? { get }

    /// The newest badge of pressed keys. Changes only in `processEvents` and `addDamage`.
    var keys: KeyPicture { get }

    /// The frame's place on its screen, in pixels.
    var screenOrigin: PixelPoint { get }

    /// The places of hidden windows, in the frame's coordinates. Nothing in them is recorded beside the frames.
    var hiddenPlaces: [PixelRect] { get }

    /// Removes and returns the presses and releases of mouse buttons since the last call, in order; for rings that are painted.
    func takeClicks() -> [InputEvent]

    /// `takeInput` reports where the pointer is with the next frame, also if it was reported before.
    func reportPointerAnew()

    /// Removes and returns what a person did since the last call, in order; for what is recorded beside the frames, so without a place
    /// where that is over something hidden. Empty if it is not recorded.
    func takeInput() -> [InputEvent]

    /// Whether the frames contain the pointer, so that it cannot be left out or enlarged.
    var paintsPointer: Bool { get }

    /// How long every `read` may fail before the take ends; nil: no limit, the source itself throws.
    ///
    /// - Parameter isFirst: the take shows no frame of this source yet.
    func readLimit(isFirst: Bool) -> ReadLimit?

    /// Handles the available events without waiting. Returns whether the frame may have changed since the last
    /// `addDamage`. Call right before each poll: a library may have read events that the descriptor no longer shows.
    func processEvents() throws(VideoSourceError) -> Bool

    /// Adds the damage since the last call, in the frame's coordinates. If the frame's size differs from `damage`'s, a
    /// full region of the new size replaces it.
    func addDamage(to damage: inout DamageRegion) throws(VideoSourceError)

    /// Reads the tiles of `region` and passes them on part by part. The parts start on tiles and cover at least the
    /// region. Returns false if some could not be read because the source has changed; it then reports all of itself as
    /// damage.
    func read(_ region: DamageRegion, into receive: (FramePart) -> Void) throws(VideoSourceError) -> Bool

    /// Discards buffered frames. Called after a pause or a cover. A source that cannot read the current screen on
    /// demand makes `read` return false until a new frame comes.
    func discardFrames()
}

extension VideoSource {
    /// For sources that read the current screen on demand.
    public func discardFrames() {}
    public var orientation: Orientation { .up }
    public var deadline: Int64? { nil }
    public var losesUnreadFrames: Bool { false }
    public var interruption: SourceInterruption? { nil }
    public var exclusionFindings: ExclusionFindings? { nil }
    public func readLimit(isFirst: Bool) -> ReadLimit? { nil }
    public var pointer: PointerState? { nil }
    public var screenOrigin: PixelPoint { PixelPoint(x: 0, y: 0) }
    public var hiddenPlaces: [PixelRect] { [] }
    public var keys: KeyPicture { KeyPicture() }
    public func takeClicks() -> [InputEvent] { [] }
    public func reportPointerAnew() {}
    public func takeInput() -> [InputEvent] { [] }
    public var paintsPointer: Bool { false }
}

/// How long a take waits for a source whose reads fail.
public struct ReadLimit: Equatable, Sendable {
    /// Nanoseconds.
    public var timeout: Int64
    /// The reason for the take's end.
    public var error: VideoSourceError

    public init(timeout: Int64, error: VideoSourceError) { (self.timeout, self.error) = (timeout, error) }
}

/// A source that is being opened. Used by one thread; a release ends the attempt.
public protocol VideoSourceOpening: AnyObject {
    /// For poll: readable when the opening can continue. Negative: none.
    var descriptor: Int32 { get }

    /// The latest time to call `processEvents` if there are no events, in nanoseconds of CLOCK_MONOTONIC; nil: never.
    var deadline: Int64? { get }

    /// The opening shows something on the screen for a person: until it is over, no frame of that screen may be read.
    var coversScreen: Bool { get }

    /// The opening waits for a window of a program that must be started now. Checked after `processEvents`.
    var awaitsCommand: Bool { get }

    /// The program was started as `process`.
    func commandStarted(_ process: Int32)

    /// Continues as far as possible. Returns nil while it has to wait. Call right before each poll.
    func processEvents() throws(VideoSourceError) -> (any VideoSource)?

    /// Cancels the opening: removes what it shows to a person. `processEvents` throws soon.
    func giveUp()
}

extension VideoSourceOpening {
    public func giveUp() {}
    public var deadline: Int64? { nil }
    public var coversScreen: Bool { false }
    public var awaitsCommand: Bool { false }
    public func commandStarted(_ process: Int32) {}
}

/// For a source that opens without waiting for a person, at the first call.
public final class ImmediateOpening: VideoSourceOpening {
    public let descriptor: Int32 = -1
    private let open: () throws(VideoSourceError) -> any VideoSource

    public init(_ open: @escaping () throws(VideoSourceError) -> any VideoSource) { self.open = open }

    public func processEvents() throws(VideoSourceError) -> (any VideoSource)? { try open() }
}

/// A part of a frame: BGRA, borrowed for a call.
public struct FramePart {
    /// The place in the frame, in pixels.
    public let rect: PixelRect
    /// The first pixel.
    public let pixels: UnsafeRawPointer
    /// Bytes from one row to the next.
    public let stride: Int
    /// Whether the source has no further use for the pixels: they may be painted over.
    public let isScratch: Bool

    public init(rect: PixelRect, pixels: UnsafeRawPointer, stride: Int, isScratch: Bool = false) {
        self.rect = rect
        self.pixels = pixels
        self.stride = stride
        self.isScratch = isScratch
    }
}

/// A source that receives frames from a compositor. Used by one thread.
public protocol CastSource: VideoSource {
    /// Counts the received frames, without moves of the pointer alone. Changes only in `processEvents` and `addDamage`.
    var frameCount: Int { get }

    /// The time at which the compositor showed the newest frame, in nanoseconds of CLOCK_MONOTONIC: never before an earlier frame's, never in
    /// the future. Changes with `frameCount`.
    var presentationTime: Int64 { get }

    /// The position of the captured monitor in the desktop, if known.
    var position: (x: Int, y: Int)? { get }
}
