// The screen of a desktop by its portal, during a take: a new cast replaces one that was lost with PipeWire or its monitor.
import KineCapture
import KineMedia
import KinePipeWire
import KinePlatform

/// Waits for the person's answer and the first frame. Used by one thread.
final class PortalOpening: VideoSourceOpening {
    private let opening: PortalCastOpening
    private let order: ScreenCastOrder
    private let video: TakeConfiguration.Video
    /// Whether the environment leads to the same PipeWire daemon as the portal's connection.
    private let reachesPipeWire = PipeWireDaemon.isThere

    /// Asks the portal at once. `warn` gets sentences for the person about problems that do not end the cast.
    init(
        _ order: ScreenCastOrder, _ video: TakeConfiguration.Video, warn: @escaping @Sendable (String) -> Void
    ) throws(VideoSourceError) {
        (self.order, self.video) = (order, video)
        opening = try PortalCastOpening(order, video, warn: warn)
    }

    var descriptor: Int32 { opening.descriptor }
    var deadline: Int64? { opening.deadline }
    func giveUp() { opening.giveUp() }

    func processEvents() throws(VideoSourceError) -> (any VideoSource)? {
        guard let cast = try opening.processEvents() else { return nil }
        return try PortalSource(cast, order, video, reachesPipeWire: reachesPipeWire)
    }
}

/// A cast, and the casts that replace it. Between two casts, the last frame stays. Used by one thread.
final class PortalSource: CastSource {
    private enum State {
        case casting(PortalCast)
        case recovering(CastRecovery)
        case reopening(CastRecovery, PortalCastOpening)
    }

    private var state: State
    /// Nil: the monitor is not known, or the cast is not a monitor's.
    private var monitor: CastMonitor?
    private let order: ScreenCastOrder
    private let video: TakeConfiguration.Video
    /// Whether PipeWire's return can be detected by a connection; otherwise the portal is asked without that.
    private let reachesPipeWire: Bool
    /// Follows the descriptor of the cast or of its opening.
    private let descriptors: DescriptorSet
    private(set) var size: PixelSize
    private(set) var orientation: Orientation
    private(set) var position: (x: Int, y: Int)?
    /// The last cast's stays where it was until the next one has a frame.
    private(set) var pointer: PointerState?
    private(set) var paintsPointer: Bool
    /// The number of frames of earlier casts.
    private var earlierFrames = 0

    fileprivate init(
        _ cast: PortalCast, _ order: ScreenCastOrder, _ video: TakeConfiguration.Video, reachesPipeWire: Bool
    ) throws(VideoSourceError) {
        state = .casting(cast)
        // The person has answered by now.
        self.order = ScreenCastOrder(order.request, application: order.application, monitor: order.monitor)
        self.video = video
        self.reachesPipeWire = reachesPipeWire
        (size, orientation) = (cast.source.size, cast.source.orientation)
        paintsPointer = cast.source.paintsPointer
        position = cast.stream.position.map { (Int($0.x), Int($0.y)) }
        if order.request.target == .monitor {
            monitor = CastMonitor(of: cast.stream, named: order.monitor?.name)
        }
        descriptors = try DescriptorSet()
        try descriptors.follow(cast.descriptor)
    }

    var descriptor: Int32 { descriptors.descriptor }

    var deadline: Int64? {
        switch state {
        case .casting(let cast): cast.source.deadline
        case .recovering(let recovery): recovery.deadline
        case .reopening(let recovery, let opening): min(recovery.deadline, opening.deadline ?? .max)
        }
    }

    var losesUnreadFrames: Bool { true }

    var frameCount: Int {
        guard case .casting(let cast) = state else { return earlierFrames }
        return earlierFrames + cast.source.frameCount
    }

    var presentationTime: Int64 {
        guard case .casting(let cast) = state else { return 0 }
        return cast.source.presentationTime
    }

    /// Only the first cast needs a frame in time. A cast that replaces another may get none from a still screen, and the take
    /// continues with its last frame.
    func readLimit(isFirst: Bool) -> ReadLimit? {
        guard isFirst, case .casting = state else { return nil }
        return ReadLimit(timeout: 10_000_000_000, error: .castGaveNoFrame(seconds: 10))
    }

    var interruption: SourceInterruption? {
        switch state {
        case .casting: nil
        case .recovering(let recovery), .reopening(let recovery, _): recovery.interruption
        }
    }

    func processEvents() throws(VideoSourceError) -> Bool {
        guard case .casting(let cast) = state else {
            try recover()
            return false
        }
        do throws(VideoSourceError) {
            let hasChanged = try cast.processEvents()
            follow(cast)
            return hasChanged
        } catch {
            try lose(cast, error)
            return false
        }
    }

    func addDamage(to damage: inout DamageRegion) throws(VideoSourceError) {
        _ = try processEvents()
        guard case .casting(let cast) = state else { return }
        do throws(VideoSourceError) {
            try cast.source.addDamage(to: &damage)
            follow(cast)
        } catch {
            try lose(cast, error)
        }
    }

    func takeInput() -> [InputEvent] {
        guard case .casting(let cast) = state else { return [] }
        return cast.source.takeInput()
    }

    func reportPointerAnew() { if case .casting(let cast) = state { cast.source.reportPointerAnew() } }

    func discardFrames() { if case .casting(let cast) = state { cast.source.discardFrames() } }

    func read(_ region: DamageRegion, into receive: (FramePart) -> Void) throws(VideoSourceError) -> Bool {
        guard case .casting(let cast) = state else { return false }
        return try cast.source.read(region, into: receive)
    }

    private func follow(_ cast: PortalCast) {
        // A replacement has no size before its first frame.
        guard cast.source.size.area > 0 else { return }
        (size, orientation) = (cast.source.size, cast.source.orientation)
        (pointer, paintsPointer) = (cast.source.pointer, cast.source.paintsPointer)
    }

    private func lose(_ cast: PortalCast, _ error: VideoSourceError) throws(VideoSourceError) {
        let now = MonotonicClock.now()
        let isOfMonitor = order.request.target == .monitor
        guard
            let recovery = CastRecovery(from: error, isOfMonitor: isOfMonitor, monitor: monitor?.name, at: now)
        else { throw error }
        descriptors.unfollow()
        earlierFrames += cast.source.frameCount
        state = .recovering(recovery)
    }

    private func recover() throws(VideoSourceError) {
        let now = MonotonicClock.now()
        switch state {
        case .casting: break
        case .recovering(var recovery):
            let step = recovery.advance(at: now, isThere: isThere)
            state = .recovering(recovery)
            try follow(step, of: recovery)
        case .reopening(var recovery, let opening):
            do throws(VideoSourceError) {
                if let cast = try opening.processEvents() { return try take(cast) }
            } catch {
                return try fail(recovery, error)
            }
            let step = recovery.advance(at: now) { _ in true }
            if case .end(let error) = step { throw error }
        }
    }

    private func isThere(_ sought: CastRecovery.Sought) -> Bool {
        switch sought {
        case .pipeWire: !reachesPipeWire || PipeWireDaemon.isThere
        case .monitor: monitor?.isPlugged() ?? true
        }
    }

    private func follow(_ step: CastRecovery.Step, of recovery: CastRecovery) throws(VideoSourceError) {
        switch step {
        case .wait: break
        case .end(let error): throw error
        case .ask:
            do throws(VideoSourceError) {
                let opening = try PortalCastOpening(order, video, continues: true)
                try descriptors.follow(opening.descriptor)
                state = .reopening(recovery, opening)
            } catch {
                try fail(recovery, error)
            }
        }
    }

    private func fail(_ recovery: CastRecovery, _ error: VideoSourceError) throws(VideoSourceError) {
        descriptors.unfollow()
        var recovery = recovery
        let step = recovery.failed(error, at: MonotonicClock.now())
        state = .recovering(recovery)
        if case .end(let error) = step { throw error }
    }

    private func take(_ cast: PortalCast) throws(VideoSourceError) {
        try descriptors.follow(cast.descriptor)
        if let known = monitor { monitor = CastMonitor(of: cast.stream, named: known.name) ?? known }
        state = .casting(cast)
    }
}
