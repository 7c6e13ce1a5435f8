// The loop of the capture thread: it carries out the steps of `CaptureStateMachine`.
import KineCapture
import KineImaging
import KineMedia
import KinePlatform

/// Sleeps, reads one source into the compositor, and hands frames on. Used by the capture thread alone.
final class CaptureLoop {
    private var input: CaptureSource
    private var sourceSwitch = SourceSwitch()
    private let framing: SourceFraming
    private let compositor: Compositor
    private let camera: CameraOverlay
    private let distributor: FrameDistributor
    private let clock: TakeClock
    private let cover: ScreenCover
    private let control: Monitor<CaptureThread.Control>
    private let observer: any TakeObserver
    private var machine: CaptureStateMachine
    private var waiter: CaptureWaiter
    /// Nil: what a person does is not recorded.
    private var collector: InputCollector?
    private let delegate: any CaptureDelegate

    private var source: any VideoSource { input.current }

    init(
        source: any VideoSource, configuration: TakeConfiguration, clock: TakeClock, cover: ScreenCover,
        control: Monitor<CaptureThread.Control>, wake: WakeSignal, delegate: any CaptureDelegate,
        observer: any TakeObserver
    ) throws(VideoSourceError) {
        input = CaptureSource(source, configuration, observer: observer)
        self.clock = clock
        self.cover = cover
        self.control = control
        self.observer = observer
        self.delegate = delegate
        collector = configuration.recordsInput ? InputCollector() : nil
        let video = configuration.video
        let framing = SourceFraming(video)
        self.framing = framing
        try framing.check(source)
        let turn = framing.orientation(of: source)
        let size = PictureGeometry(source: source.size, orientation: turn, crop: video.crop, size: video.size).size
        let slots = try delegate.makeSlots(size: size)
        compositor = Compositor(
            size: size, sourceSize: source.size, orientation: turn, crop: video.crop, colour: video.colour,
            slotCount: slots.count, memory: slots.memory)
        compositor.painter = input.painter
        camera = CameraOverlay(
            over: compositor,
            open: { camera, size throws(VideoSourceError) in try delegate.openCamera(camera, size: size) },
            failed: { error in
                observer.observe(
                    .warning(
                        error.sentence + " The take goes on without it, and shows it as soon as it gives a picture."))
            })
        machine = CaptureStateMachine(configuration, sourceSize: source.size, now: MonotonicClock.now())
        waiter = CaptureWaiter(wake: wake, source: source)
        let references = compositor.references
        distributor = delegate.captureOpened(
            FrameCanvas(
                size: compositor.size, codedSize: compositor.codedSize, sourceSize: source.size, references: references
            ) { frame in
                references.release(frame.slot)
                if control.withLock({ $0.needsSlot }) { wake.signal() }
            })
        var cameraSize: PixelSize?
        camera.shown = { [distributor, clock] source in
            if source.size != cameraSize {
                cameraSize = source.size
                observer.observe(.cameraShown(source.size))
            }
            distributor.deliver(camera: source, at: clock.mediaTime(at: MonotonicClock.now()))
        }
    }

    /// Returns when `isStopping` is set.
    func run() throws(VideoSourceError) {
        defer { _ = publish() }
        while let step = nextStep() {
            noteInput()
            switch step {
            case .sleep(let deadline, let interest): try sleep(until: deadline, for: interest)
            case .collectDamage:
                try collectDamage()
                machine.collected(at: MonotonicClock.now())
            case .beginFrame: try readFrame()
            case .discardFrames: source.discardFrames()
            case .confirmSwitch: sourceSwitch.confirm()
            case .hideCamera(let isHidden): if camera.hide(isHidden) { machine.noteSourceChanged() }
            }
        }
        // The last actions may be just before the end.
        _ = try? input.processEvents()
        noteInput()
        fill(until: control.withLock { $0.end })
    }

    /// Nil when `isStopping` is set.
    private func nextStep() -> CaptureStateMachine.Step? {
        var conditions = CaptureStateMachine.Conditions()
        let (isStopping, wanted, isSwitchGivenUp, cameraChange) = control.withLock { control in
            defer {
                control.repeatAt = .max
                control.isSwitchGivenUp = false
            }
            conditions.isPaused = control.isPaused
            conditions.repeatAt = control.repeatAt
            return (
                control.isStopping, control.wanted.take(), control.isSwitchGivenUp, control.cameraChange.take()
            )
        }
        if isStopping { return nil }
        if let wanted, sourceSwitch.begin(wanted) { renewWaiter() }
        if isSwitchGivenUp { sourceSwitch.giveUp() }
        if let cameraChange, camera.change(to: cameraChange.settings) { machine.noteSourceChanged() }
        advanceSwitch()
        let now = MonotonicClock.now()
        conditions.clockOffset = now - clock.mediaTime(at: now).nanoseconds
        conditions.cover = cover.state
        conditions.isScreenTaken = sourceSwitch.coversScreen
        conditions.stillInterval = distributor.stillInterval
        return machine.next(at: now, conditions)
    }

    /// Replaces the source once its successor is open and can be shown.
    private func advanceSwitch() {
        let isOver = sourceSwitch.advance(framing) { opened in
            input.replace(with: opened)
            collector?.changeSource()
            machine.changeSource(size: opened.size, at: MonotonicClock.now())
        }
        if isOver { renewWaiter() }
    }

    private func renewWaiter() {
        waiter.renew(source: source, camera: camera.descriptor, openings: sourceSwitch.descriptors)
    }

    private func sleep(until deadline: Int64, for interest: SourceWaiter.Interest) throws(VideoSourceError) {
        if sourceSwitch.coversScreen { return try sleepUnderOpening() }
        var deadline = deadline
        // Between two frames the source's deadline is ignored, as its events are.
        switch interest {
        case .nothing: break
        case .drained where source.losesUnreadFrames:
            // Keeps the newest frame, and reads it when frames are wanted again.
            if try source.processEvents() { machine.noteSourceChanged() }
            deadline = min(deadline, source.deadline ?? .max)
        case .drained: break
        case .sources:
            let sourceHasChanged = try input.processEvents()
            if camera.processEvents(at: MonotonicClock.now()) || sourceHasChanged {
                return machine.noteSourceChanged()
            }
            if camera.descriptor != waiter.cameraDescriptor { renewWaiter() }
            deadline = min(deadline, input.deadline ?? .max, camera.deadline, sourceSwitch.deadline ?? .max)
        }
        try input.report()
        waiter.wait(until: deadline, for: interest)
    }

    /// No frame may show what the opening shows the person. Keeps the newest if the source loses unread frames.
    private func sleepUnderOpening() throws(VideoSourceError) {
        let isDrained = source.losesUnreadFrames
        if isDrained { _ = try source.processEvents() }
        let deadlines = [sourceSwitch.deadline, isDrained ? source.deadline : nil].compactMap(\.self)
        waiter.wait(until: deadlines.min(), forOpenings: sourceSwitch.descriptors, beside: source)
    }

    private func waitForSlot(until deadline: Int64) {
        control.withLock { $0.needsSlot = true }
        // A slot may have become free before `needsSlot` was set: then there is no signal.
        if !compositor.hasFreeSlot { waiter.wait(until: deadline, for: .nothing) }
        control.withLock { $0.needsSlot = false }
    }

    private func readFrame() throws(VideoSourceError) {
        distributor.reclaim()
        guard compositor.begin() else {
            let deadline = machine.slotsAreAllLent(at: MonotonicClock.now())
            _ = publish()
            return waitForSlot(until: deadline)
        }
        _ = camera.processEvents(at: MonotonicClock.now())
        try collectDamage()
        let now = MonotonicClock.now()
        guard machine.beginReading(at: now, time: clock.mediaTime(at: now)) == .read else {
            return compositor.abandon()
        }
        let isComplete = try draw(machine.pending)
        let evenIfUnchanged: Bool
        switch machine.finishReading(
            isComplete: isComplete, limit: source.readLimit(isFirst: machine.awaitsSource), at: MonotonicClock.now())
        {
        case .commit(let isForced): evenIfUnchanged = isForced
        case .abandon: return compositor.abandon()
        case .end(let error): throw error
        }
        let layers = compositor.layerDamage
        let frame = compositor.commit(evenIfUnchanged: evenIfUnchanged)
        let outcome = machine.committed(changed: frame?.changed, layers: layers)
        if outcome == .checkSource { machine.checked(sourceHasChanged: try input.processEvents()) }
        if let frame {
            deliver(frame)
        } else {
            collector?.passFrame()
            _ = publish()
        }
    }

    /// Draws the source, or the card. False where a part could not be read.
    private func draw(_ region: DamageRegion) throws(VideoSourceError) -> Bool {
        if machine.isCovered {
            compositor.fill(region, with: Self.card)
            return true
        }
        let compositor = compositor
        return try source.read(region) {
            compositor.draw($0.rect, pixels: $0.pixels, stride: $0.stride, isScratch: $0.isScratch)
        }
    }

    /// Dark grey: neither a black screen, which looks like a fault, nor bright.
    private static var card: Compositor.Colour { Compositor.Colour(red: 40, green: 40, blue: 40) }

    private func collectDamage() throws(VideoSourceError) {
        machine.reported.removeAll()
        try input.addDamage(to: &machine.reported)
        // The card stands still, whatever is behind it.
        if machine.isCovered { machine.reported.removeAll() }
        compositor.changeSource(to: machine.reported.size, orientation: framing.orientation(of: source))
        compositor.addDamage(to: &machine.reported)
    }

    /// Hands on what a person did, unless the take shows nothing of the screen now.
    private func noteInput() {
        guard collector != nil else { return }
        var events = input.takeInput()
        let isCovered = [.held, .covered].contains(cover.state) || sourceSwitch.coversScreen
        // What is done before another source's first frame is on no picture.
        let isSeen = !isCovered && !(machine.hasBegun && machine.awaitsSource)
        let view = PictureView(
            geometry: compositor.geometry, origin: source.screenOrigin, hiddenPlaces: source.hiddenPlaces)
        events += control.withLock { control in
            defer { control.notedInput = [] }
            control.view = isSeen ? view : nil
            return control.notedInput
        }
        guard isSeen else {
            collector?.close()
            return
        }
        let wasOpen = collector?.isOpen == true
        let timeline = clock.snapshot
        collector?.receive(events, view.geometry, at: MonotonicClock.now(), time: timeline.recordedTime)
        if !wasOpen, collector?.isOpen == true { source.reportPointerAnew() }
        handOnInput()
    }

    private func handOnInput() {
        if let notes = collector?.take(), !notes.isEmpty { delegate.receive(notes) }
    }

    private func deliver(_ frame: FrameRing.Frame) {
        if control.withLock({ $0.isAbandoned }) { return }
        let instant = machine.frameInstant
        if !machine.hasBegun {
            clock.begin(at: instant)
            observer.observe(.began(at: instant))
        }
        let delivery = machine.deliver(at: clock.mediaTime(at: instant))
        guard publish() else { return }
        if collector != nil, let changed = input.takeDamage(in: frame.changed, compositor.geometry) {
            collector?.noteChange(changed, at: delivery.time)
            handOnInput()
        }
        distributor.deliver(frame, at: delivery.time, repeats: delivery.repeats)
    }

    /// At a constant rate, repeats the last frame in each place before the take's end that has no frame.
    private func fill(until end: MediaTime) {
        guard machine.hasBegun, let delivery = machine.fill(until: end) else { return }
        distributor.reclaim()
        while !compositor.begin() {
            if control.withLock({ $0.isAbandoned }) { return }
            waitForSlot(until: MonotonicClock.now() + CaptureStateMachine.restInterval)
            distributor.reclaim()
        }
        guard publish(), let frame = compositor.commit(evenIfUnchanged: true) else { return compositor.abandon() }
        distributor.deliver(frame, at: delivery.time, repeats: delivery.repeats)
    }

    /// Shows other threads how far capture is. False if the take has ended without this thread.
    private func publish() -> Bool {
        control.withLock { control in
            guard !control.isAbandoned else { return false }
            control.counts = machine.counts
            return true
        }
    }
}
