// Lets a person draw the region of a Wayland screen to capture, and opens it.
import KineCapture
import KineMedia
import KinePlatform

/// Waits for the person. Used on the capture thread.
public final class WaylandRegionOpening: VideoSourceOpening {
    private enum State {
        case drawing(RegionProgram, until: Int64)
        /// The region is drawn, and opened a first time to detect when the program's picture has disappeared.
        case looking(WaylandScreenOpening, PixelRect)
        /// Compositors may fade out the program's picture.
        case settling(any VideoSource, PixelRect, ScreenSettling)
        case opening(WaylandScreenOpening)
        /// Waits only for the program's picture to disappear.
        case failing(VideoSourceError, at: Int64)
        case over
    }

    private static let quietTime: Int64 = 150_000_000
    /// For a program whose end no descriptor reports.
    private static let interval: Int64 = 20_000_000

    private let display: String
    private let open: (PixelRect) throws(VideoSourceError) -> WaylandScreenOpening
    /// Follows the program's descriptor, then those of what shows the region.
    private let descriptors: DescriptorSet
    private var state: State

    /// - Parameters:
    ///   - display: the compositor's name, as in WAYLAND_DISPLAY.
    ///   - timeout: nanoseconds after which the drawing ends.
    ///   - open: starts to open the drawn region, in logical pixels of the desktop. May be called twice.
    public init(
        display: String, timeout: Int64 = 60_000_000_000,
        open: @escaping (PixelRect) throws(VideoSourceError) -> WaylandScreenOpening
    ) throws(VideoSourceError) {
        self.display = display
        self.open = open
        descriptors = try DescriptorSet()
        let program = try RegionProgram(display: display)
        state = .drawing(program, until: MonotonicClock.now() + timeout)
        try descriptors.follow(program.descriptor)
    }

    public var descriptor: Int32 { descriptors.descriptor }

    public var deadline: Int64? {
        switch state {
        case .drawing(let program, let end):
            program.descriptor < 0 ? min(end, MonotonicClock.now() + Self.interval) : end
        case .looking(let opening, _), .opening(let opening): opening.deadline
        case .settling(let source, _, let settling): min(settling.deadline, source.deadline ?? .max)
        case .failing(_, let instant): instant
        case .over: nil
        }
    }

    public var coversScreen: Bool {
        switch state {
        case .drawing, .looking, .settling, .failing: true
        case .opening, .over: false
        }
    }

    public func processEvents() throws(VideoSourceError) -> (any VideoSource)? {
        let now = MonotonicClock.now()
        if case .drawing(let program, let end) = state { try poll(program, until: end, now) }
        if case .looking(let opening, let region) = state, let source = try opening.processEvents() {
            var settling = ScreenSettling(.afterWindow, since: now)
            settling.noteFrame(at: now)
            state = .settling(source, region, settling)
            try descriptors.follow(source.descriptor)
        }
        if case .settling(let source, let region, var settling) = state {
            if try source.processEvents() {
                var damage = DamageRegion(size: source.size)
                try source.addDamage(to: &damage)
                settling.noteFrame(at: now)
            }
            state = .settling(source, region, settling)
            if settling.isOver(at: now) {
                // A new source, from which no frame was taken.
                let opening = try open(region)
                state = .opening(opening)
                try descriptors.follow(opening.descriptor)
            }
        }
        if case .opening(let opening) = state, let source = try opening.processEvents() {
            state = .over
            return source
        }
        if case .failing(let error, let instant) = state, now >= instant {
            state = .over
            throw error
        }
        return nil
    }

    private func poll(_ program: RegionProgram, until end: Int64, _ now: Int64) throws(VideoSourceError) {
        switch program.outcome {
        case nil where now < end: break
        case nil: fail(.regionNotDrawn, ending: program)
        case .tooSmall:
            let next = try RegionProgram(display: display)
            state = .drawing(next, until: end)
            try descriptors.follow(next.descriptor)
        case .drawn(let region):
            let opening = try open(region)
            state = .looking(opening, region)
            try descriptors.follow(opening.descriptor)
        case .cancelled:
            // slurp reports the same if the compositor has gone; then there is no connection.
            _ = try WaylandScreen(display: display)
            fail(.regionCancelled, ending: program)
        case .failed(let words): fail(.regionProgramFailed(words), ending: program)
        }
    }

    public func giveUp() {
        switch state {
        case .drawing(let program, _): fail(.regionCancelled, ending: program)
        case .looking, .settling, .opening: state = .failing(.regionCancelled, at: MonotonicClock.now())
        case .failing, .over: break
        }
    }

    private func fail(_ error: VideoSourceError, ending program: RegionProgram) {
        descriptors.unfollow()
        program.end()
        state = .failing(error, at: MonotonicClock.now() + Self.quietTime)
    }
}
