// The wait until a compositor's frames show neither a window that has closed nor the desktop's dialog.
import KineMedia
import KinePlatform

/// Waits until a compositor shows the screen below a window that has closed, after the window's last animation.
/// Instants are nanoseconds of CLOCK_MONOTONIC.
package struct ScreenSettling {
    package struct Limits: Sendable {
        /// The screen is still after this long without a frame.
        var quiet: Int64
        /// How long after its first frame a screen that never becomes still is waited for.
        var changing: Int64
        /// How long to wait for a first frame.
        var still: Int64

        private static let quiet: Int64 = 150_000_000

        /// The last frame may show a window that has closed. Its end is a change, so a frame comes, however late.
        package static let afterWindow = Limits(quiet: quiet, changing: 1_000_000_000, still: 10_000_000_000)
        /// No frame has come since before the window, which was on another screen. None may come.
        package static let elsewhere = Limits(quiet: quiet, changing: 1_000_000_000, still: 1_000_000_000)
        /// The desktop's dialog fades out in a cast's first frames.
        package static let afterDialog = Limits(quiet: quiet, changing: 500_000_000, still: 0)
    }

    private let limits: Limits
    /// The deadline for a screen that never becomes still; nil before the first frame.
    private var end: Int64?
    /// The end of the wait, unless another frame comes.
    package private(set) var deadline: Int64

    package init(_ limits: Limits, since start: Int64) {
        self.limits = limits
        deadline = start + limits.still
    }

    package mutating func noteFrame(at now: Int64) {
        let end = end ?? now + limits.changing
        self.end = end
        deadline = min(now + limits.quiet, end)
    }

    /// A frame that the compositor showed before the window had closed, by the frame's own time: another must follow. The wait
    /// for it is short, since the times of some compositors are of another clock.
    package mutating func noteEarlierFrame(at now: Int64) {
        if end == nil { deadline = min(deadline, now + limits.changing) }
    }

    package func isOver(at now: Int64) -> Bool { now >= deadline }
}

/// Opens the cast of a monitor, and leaves out its first frames: a desktop's dialog that was answered is still fading in them, and so may be
/// the window in which the person began the take. Used on the capture thread.
public final class SettledOpening: VideoSourceOpening {
    private let opening: any VideoSourceOpening
    private let region: PixelRect?
    /// Follows the descriptor of the opening, then of its cast.
    private let descriptors: DescriptorSet
    /// The cast that has opened, and the number of its frames.
    private var settling: (source: any CastSource, wait: ScreenSettling, frameCount: Int)?

    /// - Parameters:
    ///   - opening: of a `CastSource`.
    ///   - region: the part that is captured, in pixels of the upright picture; nil: all of it.
    public init(_ opening: any VideoSourceOpening, region: PixelRect? = nil) throws(VideoSourceError) {
        (self.opening, self.region) = (opening, region)
        descriptors = try DescriptorSet()
        try descriptors.follow(opening.descriptor)
    }

    public var descriptor: Int32 { descriptors.descriptor }

    public var deadline: Int64? {
        guard let settling else { return opening.deadline }
        return min(settling.wait.deadline, settling.source.deadline ?? .max)
    }

    public func giveUp() {
        settling = nil
        opening.giveUp()
    }

    public func processEvents() throws(VideoSourceError) -> (any VideoSource)? {
        let now = MonotonicClock.now()
        guard let (source, before, frameCount) = settling else {
            guard let source = try opening.processEvents() else { return nil }
            guard let cast = source as? any CastSource else { preconditionFailure("the source is no cast") }
            var wait = ScreenSettling(.afterDialog, since: now)
            wait.noteFrame(at: now)
            settling = (cast, wait, cast.frameCount)
            try descriptors.follow(cast.descriptor)
            return nil
        }
        _ = try source.processEvents()
        var wait = before
        if source.frameCount != frameCount { wait.noteFrame(at: now) }
        settling = (source, wait, source.frameCount)
        guard wait.isOver(at: now) else { return nil }
        settling = nil
        guard let region else { return source }
        return try CroppedSource(source, region: region)
    }
}
