// Sources of video. One thread waits for several sources in one poll, asks those that have events, and reads their changes. It
// waits for an opening in the same way, since a person may have to answer a question first.
import KineMedia

/// An open source of frames. Used by one thread.
public protocol VideoSource: AnyObject {
    /// The frame's size in pixels. It changes in `processEvents` and `addDamage` only.
    var size: PixelSize { get }

    /// The turn that brings the source's frames upright. It changes in `processEvents` and `addDamage` only.
    var orientation: Orientation { get }

    /// For poll: readable when the source has events. The same for the source's whole life, which owns it; negative: none.
    var descriptor: Int32 { get }

    /// The instant of CLOCK_MONOTONIC, in nanoseconds, at which `processEvents` is to be called also if there are no events; nil: none.
    var deadline: Int64? { get }

    /// The source loses frames that nobody takes. Call `processEvents` whenever the descriptor is readable, also in a pause.
    var losesUnreadFrames: Bool { get }

    /// Why the source has no new frames for now. The take shows the last one until there are new ones, or until the source throws. Nil: the
    /// source works.
    var interruption: VideoSourceInterruption? { get }

    /// The excluded windows that the last search found. Nil before the first search, and where no window is excluded.
    var exclusionFindings: ExclusionFindings? { get }

    /// Nanoseconds for which every `read` may fail; the take ends then. Nil: no limit, since the source itself throws when it cannot go on.
    var readTimeout: Int64? { get }

    /// Handles the events that are there, without waiting for any. Returns whether the frame may have changed since the last
    /// `addDamage`. To be called right before each poll: a library may have read events that the descriptor no longer shows.
    func processEvents() throws(VideoSourceError) -> Bool

    /// Adds the damage since the last call, in the frame's coordinates. If the frame has another size than `damage`, a full
    /// region of the new size replaces it.
    func addDamage(to damage: inout DamageRegion) throws(VideoSourceError)

    /// Reads the tiles of `region` and hands them on part by part, each as soon as it is there. The parts start on tiles;
    /// together they cover the region, perhaps more. Returns false if some could not be read because the source has changed; it
    /// then reports all of itself as damage.
    func read(_ region: DamageRegion, into receive: (FramePart) -> Void) throws(VideoSourceError) -> Bool

    /// What the source may hold of the screen is not to be seen: something covered it until now, or the take was paused. A source that cannot
    /// read what is there at the time reads nothing, and `read` returns false, until it has a frame of what is there from now on.
    func discardFrames()
}

extension VideoSource {
    /// For a source that reads what is there at the time.
    public func discardFrames() {}
    public var orientation: Orientation { .up }
    public var deadline: Int64? { nil }
    public var losesUnreadFrames: Bool { false }
    public var interruption: VideoSourceInterruption? { nil }
    public var exclusionFindings: ExclusionFindings? { nil }
    public var readTimeout: Int64? { nil }
}

/// A source that is being opened. Used by one thread; releasing it ends the attempt.
public protocol VideoSourceOpening: AnyObject {
    /// For poll: readable when the opening can go on. Negative: none.
    var descriptor: Int32 { get }

    /// The instant of CLOCK_MONOTONIC, in nanoseconds, at which the opening goes on also if there are no events; nil: none.
    var deadline: Int64? { get }

    /// The opening shows something on the screen for a person: until it is over, no frame of that screen may be read.
    var coversScreen: Bool { get }

    /// The opening waits for a window of a program that is to be started now. It is asked after `processEvents`.
    var awaitsCommand: Bool { get }

    /// That program has been started as `process`.
    func commandStarted(_ process: Int32)

    /// Goes on as far as possible. Returns nil while there is more to wait for. To be called right before each poll.
    func processEvents() throws(VideoSourceError) -> (any VideoSource)?

    /// Nobody waits for the source any more: what is shown to a person is taken away, and `processEvents` throws soon.
    func giveUp()
}

extension VideoSourceOpening {
    public func giveUp() {}
    public var deadline: Int64? { nil }
    public var coversScreen: Bool { false }
    public var awaitsCommand: Bool { false }
    public func commandStarted(_ process: Int32) {}
}

/// For a source that opens without waiting for a person: all of it happens at the first call.
public final class ImmediateOpening: VideoSourceOpening {
    public let descriptor: Int32 = -1
    private let open: () throws(VideoSourceError) -> any VideoSource

    public init(_ open: @escaping () throws(VideoSourceError) -> any VideoSource) { self.open = open }

    public func processEvents() throws(VideoSourceError) -> (any VideoSource)? { try open() }
}

/// A rectangle of a frame, lent for the length of a call.
///
/// A part of a frame that a source has read: pixels, their format, and the memory that holds them.
public struct FramePart {
    /// The memory of the pixels. Another kind of memory is another case here and in `CaptureLoop`, which draws it.
    public enum Storage {
        /// The address of the first pixel, and the bytes from one row to the next.
        case memory(UnsafeRawPointer, stride: Int)
    }

    /// The place in the frame, in pixels.
    public let rect: PixelRect
    public let pixelFormat: PixelFormat
    public let storage: Storage

    public init(rect: PixelRect, pixelFormat: PixelFormat, storage: Storage) {
        self.rect = rect
        self.pixelFormat = pixelFormat
        self.storage = storage
    }
}

/// A source to which a compositor sends frames. Used by one thread.
public protocol CastSource: VideoSource {
    /// Counts the frames that have come; moves of the pointer alone are none. It changes in `processEvents` and `addDamage` only.
    var frameCount: Int { get }

    /// The place in the desktop of the monitor that is cast; nil: not known.
    var position: (x: Int, y: Int)? { get }
}
