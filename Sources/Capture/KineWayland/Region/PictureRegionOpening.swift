// Lets a person draw a region of a monitor that a desktop casts, and opens it. They draw in a still picture of the
// cast: such a desktop lets no program draw over its screen.
import KineCapture
import KineMedia
import KinePlatform

/// Waits for the cast, then for the person. Used on the capture thread.
public final class PictureRegionOpening: VideoSourceOpening {
    private enum State {
        case opening(any VideoSourceOpening)
        /// Until the compositor has sent its globals and a frame could be read.
        case looking(any CastSource)
        case drawing(any CastSource, Drawing)
        /// The compositor removes the window.
        case hiding(any CastSource, Hiding)
        case settling(any CastSource, Hiding, ScreenSettling)
        /// Waits only for the windows to disappear.
        case failing(VideoSourceError, at: Int64)
        case over
    }

    private typealias Outcome = Result<PixelRect, VideoSourceError>

    private struct Drawing {
        var size: PixelSize
        var selection: RegionSelection
        var until: Int64
        /// The number of the cast's last frame before the window.
        var lastFrame: Int

        init(in size: PixelSize, after lastFrame: Int, until: Int64) {
            (self.size, self.lastFrame, self.until) = (size, lastFrame, until)
            selection = RegionSelection(screen: size)
        }
    }

    private struct Hiding {
        var outcome: Outcome
        var limits: ScreenSettling.Limits
        /// The request to remove the window. Frames that the compositor showed before may contain it.
        var requestedAt: Int64
    }

    private static let quietTime: Int64 = 150_000_000

    private let window: WaylandRegionWindow
    private let timeout: Int64
    /// Follows the cast's descriptor.
    private let descriptors: DescriptorSet
    private var state: State
    /// The number of the cast's frames.
    private var frameCount = 0

    /// - Parameters:
    ///   - display: the compositor's name, as in WAYLAND_DISPLAY.
    ///   - timeout: nanoseconds without input after which the drawing ends.
    ///   - answerTimeout: nanoseconds for the compositor's answers.
    ///   - open: starts to open the cast of a monitor, a `CastSource`. Called once, after the compositor has accepted.
    public init(
        display: String, timeout: Int64 = 60_000_000_000, answerTimeout: Int64 = 10_000_000_000,
        open: () throws(VideoSourceError) -> any VideoSourceOpening
    ) throws(VideoSourceError) {
        self.timeout = timeout
        window = try WaylandRegionWindow(display: display, timeout: answerTimeout)
        descriptors = try DescriptorSet()
        try descriptors.insert(window.connection.descriptor)
        let opening = try open()
        state = .opening(opening)
        try descriptors.follow(opening.descriptor)
    }

    public var descriptor: Int32 { descriptors.descriptor }

    public var deadline: Int64? { [window.deadline, stateDeadline].compactMap(\.self).min() }

    private var stateDeadline: Int64? {
        switch state {
        case .opening(let opening): opening.deadline
        case .drawing(let source, let drawing): min(drawing.until, source.deadline ?? .max)
        case .looking(let source), .hiding(let source, _): source.deadline
        case .settling(let source, _, let settling): min(settling.deadline, source.deadline ?? .max)
        case .failing(_, let instant): instant
        case .over: nil
        }
    }

    public var coversScreen: Bool {
        switch state {
        case .opening, .looking, .over: false
        case .drawing, .hiding, .settling, .failing: true
        }
    }

    public func processEvents() throws(VideoSourceError) -> (any VideoSource)? {
        let now = MonotonicClock.now()
        let events = try window.processEvents()
        do throws(VideoSourceError) {
            return try advance(events, now)
        } catch {
            switch state {
            case .opening, .looking, .failing, .over: throw error
            case .drawing, .hiding, .settling:
                // The cast has ended, but the window may still be visible.
                window.hide()
                // In a take, that would be the natural end.
                let isEnd = error.kind == .castClosed || error.kind == .castStopped
                fail(isEnd ? .regionCastEnded : error, at: now + Self.quietTime)
                return nil
            }
        }
    }

    private func advance(
        _ events: [WaylandRegionWindow.Event], _ now: Int64
    ) throws(VideoSourceError) -> (any VideoSource)? {
        if case .opening(let opening) = state, let source = try opening.processEvents() {
            guard let cast = source as? any CastSource else { preconditionFailure("the source is no cast") }
            frameCount = cast.frameCount
            state = .looking(cast)
            try descriptors.follow(cast.descriptor)
        }
        switch state {
        case .opening, .over: break
        case .looking(let source):
            _ = try hasNewFrame(source)
            if window.isReady { try show(source, now) }
        case .drawing(let source, let drawing):
            _ = try hasNewFrame(source)
            try draw(events, source, drawing, now)
        case .hiding(let source, let hiding):
            // Frames before that may still show the window.
            _ = try hasNewFrame(source)
            if window.isGone { state = .settling(source, hiding, ScreenSettling(hiding.limits, since: now)) }
        case .settling(let source, let hiding, var settling):
            if try hasNewFrame(source) {
                if source.presentationTime >= hiding.requestedAt {
                    settling.noteFrame(at: now)
                } else {
                    settling.noteEarlierFrame(at: now)
                }
            }
            state = .settling(source, hiding, settling)
            guard settling.isOver(at: now) else { break }
            state = .over
            return try CroppedSource(source, region: try hiding.outcome.get())
        case .failing(let error, let instant):
            guard now >= instant else { break }
            state = .over
            throw error
        }
        return nil
    }

    /// Reads the cast's frames, because it would lose newer ones otherwise.
    private func hasNewFrame(_ source: any CastSource) throws(VideoSourceError) -> Bool {
        _ = try source.processEvents()
        defer { frameCount = source.frameCount }
        return source.frameCount != frameCount
    }

    private func show(_ source: any CastSource, _ now: Int64) throws(VideoSourceError) {
        // If a frame cannot be read, another follows.
        guard let picture = try StillPicture(of: source) else { return }
        try window.show(picture, at: source.position)
        state = .drawing(source, Drawing(in: picture.size, after: frameCount, until: now + timeout))
    }

    private func draw(
        _ events: [WaylandRegionWindow.Event], _ source: any CastSource, _ drawing: Drawing, _ now: Int64
    ) throws(VideoSourceError) {
        var drawing = drawing
        if !events.isEmpty { drawing.until = now + timeout }
        for event in events {
            switch event {
            case .input(let input): drawing.selection.handle(input)
            case .otherInput: break
            case .closed: return finish(.failure(.regionCancelled), source, drawing)
            }
        }
        switch drawing.selection.state {
        case .drawn(let rect): return finish(.success(rect), source, drawing)
        case .cancelled: return finish(.failure(.regionCancelled), source, drawing)
        case .waiting, .drawing: break
        }
        guard now < drawing.until else { return finish(.failure(.regionNotDrawn), source, drawing) }
        // The monitor has another size, or was turned: the region must be drawn again.
        if source.size.area > 0, source.orientation.turned(source.size) != drawing.size,
            let picture = try StillPicture(of: source)
        {
            drawing = Drawing(in: picture.size, after: drawing.lastFrame, until: drawing.until)
            window.change(to: picture)
        }
        try window.select(drawing.selection.rect)
        state = .drawing(source, drawing)
    }

    private func finish(_ outcome: Outcome, _ source: any CastSource, _ drawing: Drawing) {
        let requestedAt = MonotonicClock.now()
        window.hide()
        let isSeen = frameCount != drawing.lastFrame
        var limits = ScreenSettling.Limits.elsewhere
        if case .success = outcome, isSeen { limits = .afterWindow }
        state = .hiding(source, Hiding(outcome: outcome, limits: limits, requestedAt: requestedAt))
    }

    public func giveUp() {
        switch state {
        case .opening(let opening): opening.giveUp()
        case .looking: fail(.regionCancelled, at: MonotonicClock.now())
        case .drawing(let source, let drawing): finish(.failure(.regionCancelled), source, drawing)
        case .hiding(let source, var hiding):
            hiding.outcome = .failure(.regionCancelled)
            state = .hiding(source, hiding)
        case .settling(let source, var hiding, let settling):
            hiding.outcome = .failure(.regionCancelled)
            state = .settling(source, hiding, settling)
        case .failing, .over: break
        }
    }

    private func fail(_ error: VideoSourceError, at instant: Int64) {
        descriptors.unfollow()
        state = .failing(error, at: instant)
    }
}
