// The picture of the camera that a person has chosen in the studio, before anything is recorded.
import FoundationEssentials
import KineCapture
import KineMedia
import KineTake
import KineWire

/// Reads the camera at a few pictures a second. Used by one thread.
struct CameraSurvey {
    private enum State {
        case off
        case opening(any VideoSourceOpening)
        case open(any VideoSource)
        /// It has gone, or could not be opened.
        case failed
    }

    /// Nanoseconds between two pictures.
    private static let interval: Int64 = 150_000_000
    /// Nanoseconds until a camera that failed is opened again.
    private static let retryInterval: Int64 = 2_000_000_000
    private static let wanted = PixelSize(width: 640, height: 480)

    private var device: String?
    private var state = State.off
    /// The instant of the next attempt or picture (CLOCK_MONOTONIC).
    private var next: Int64 = 0
    private var problem: String?

    /// Shows another camera; nil: none. Closes the previous one.
    mutating func show(_ device: String?) {
        guard device != self.device else { return }
        (self.device, state, next, problem) = (device, device == nil ? .off : .failed, 0, nil)
    }

    /// For poll, at this instant; negative: there is nothing to wait for but the deadline.
    func descriptor(at now: Int64) -> Int32 {
        switch state {
        case .off, .failed: -1
        case .opening(let opening): opening.descriptor
        // Frames that come earlier are skipped.
        case .open(let source): now >= next ? source.descriptor : -1
        }
    }

    /// The instant at which `process` must be called even without events.
    func deadline(at now: Int64) -> Int64? {
        switch state {
        case .off, .opening: nil
        case .failed: next
        case .open: now >= next ? nil : next
        }
    }

    /// Advances as far as possible. Returns a picture, or once the reason why there is none.
    mutating func process(at now: Int64) -> SurveyCamera? {
        do throws(VideoSourceError) {
            switch state {
            case .off: return nil
            case .failed:
                guard now >= next, let device else { return nil }
                state = .opening(try CameraOpening(CameraInput(.init(device: device)), wanted: Self.wanted))
                return nil
            case .opening(let opening):
                guard let source = try opening.processEvents() else { return nil }
                state = .open(source)
                return try picture(of: source, at: now)
            case .open(let source):
                guard now >= next, try source.processEvents() else { return nil }
                return try picture(of: source, at: now)
            }
        } catch {
            (state, next) = (.failed, now + Self.retryInterval)
            guard problem != error.sentence else { return nil }
            problem = error.sentence
            return SurveyCamera(problem: error.sentence)
        }
    }

    private mutating func picture(of source: any VideoSource, at now: Int64) throws(VideoSourceError) -> SurveyCamera? {
        (next, problem) = (now + Self.interval, nil)
        // A camera's newest frame is taken with its damage.
        var damage = DamageRegion(size: source.size)
        try source.addDamage(to: &damage)
        guard let jpeg = try SourcePicture.jpeg(of: source, fitting: SurveyCamera.limit) else { return nil }
        return SurveyCamera(size: source.size, jpeg: Data(jpeg))
    }
}
