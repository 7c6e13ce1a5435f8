// The thread that captures: it opens a source, sleeps until something changed, reads only that, and hands frames on.
import KineCapture
import KineImaging
import KineInput
import KineMedia
import KinePlatform
import Synchronization
import SystemPackage

/// Supplies the slots, receiver and cameras of a capture thread, and gets its end. Called on that thread only.
protocol CaptureDelegate: AnyObject, Sendable {
    /// The slots for frames of a visible size. Called once, when the source is open and before `captureOpened`.
    func makeSlots(size: PixelSize) throws(VideoSourceError) -> CaptureThread.Slots
    /// The receiver of the frames. Called once, before any frame.
    func captureOpened(_ canvas: FrameCanvas) -> FrameDistributor
    /// Begins to open a camera, asking it for a size.
    func openCamera(_ camera: TakeConfiguration.Camera, size: PixelSize) throws(VideoSourceError)
        -> any VideoSourceOpening
    /// What a person did, for recordings with an input track.
    func receive(_ input: [TimedInput])
    /// The thread has ended: nil after `stop`, else the reason.
    func captureEnded(_ error: VideoSourceError?)
}

/// The frames that capture draws, for their readers.
struct FrameCanvas: Sendable {
    /// The visible size, in pixels; its sides may be odd.
    let size: PixelSize
    /// The coded size; both sides are even.
    let codedSize: PixelSize
    /// The size of the take's first source; nil: not known.
    var sourceSize: PixelSize?
    /// The readers of each slot.
    let references: SlotReferences
    /// Gives a frame's slot back, and wakes capture if it waits for one; from any thread.
    let release: @Sendable (FrameRing.Frame) -> Void
}

/// Drives one `VideoSource` for the length of a take.
final class CaptureThread: Sendable {
    /// The memory that frames are drawn in.
    struct Slots {
        /// One slot with the encoder, two waiting, one being drawn: the first 1080p frame at 30 a second takes a slow
        /// encoder three intervals, and no frame drawn meanwhile may be lost. The ring uses the last slot only when the
        /// others are taken, so it costs no memory before.
        var count = 4
        /// nil: the take's own memory.
        var memory: FrameRing.Memory?
    }

    /// Counts for the progress line.
    struct Counts: Sendable, Equatable {
        var drawn = 0
        var unchanged = 0
        var dropped = 0
    }

    /// A request for another source. Both closures are called on the thread.
    struct Switch: Sendable {
        var open: @Sendable () throws(VideoSourceError) -> any VideoSourceOpening
        /// Called once, unless the take ends before: with the new source's own size when its first frame was handed on, in
        /// a pause when it is open, or with the reason why the previous source stays.
        var done: @Sendable (Result<PixelSize, VideoSourceError>) -> Void
    }

    /// Another camera, or another place of it.
    struct CameraChange {
        var settings: TakeConfiguration.Camera?
    }

    /// The state that the capture thread shares with others.
    struct Control {
        var isStopping = false
        /// The take's end, once it is stopping.
        var end = MediaTime.zero
        var isOpen = false
        /// The thread is over.
        var hasEnded = false
        /// The take ended without this thread, which the source blocks: nothing is handed on any more.
        var isAbandoned = false
        var isPaused = false
        /// The instant of CLOCK_MONOTONIC at which the frame must be shown again even if nothing changed.
        var repeatAt: Int64 = .max
        /// The program whose window the source waits for, when it has just been started.
        var startedCommand: Int32?
        /// The source to show next.
        var wanted: Switch?
        /// The opening of the next source must be given up.
        var isSwitchGivenUp = false
        var cameraChange: CameraChange?
        /// What of the screen the picture shows now; nil: nothing, or what a person does is not recorded.
        var view: PictureView?
        /// What was noted for the input track by other programs, in the frame's coordinates.
        var notedInput: [InputEvent] = []
        /// The encoder has every slot, and capture waits for one.
        var needsSlot = false
        var counts = Counts()
    }

    private let control: Monitor<Control>
    private let wake = WakeSignal()
    private let cover: ScreenCover
    private let cancellation: Cancellation
    private let timeout: Int64
    /// Nil if no thread can be created: the delegate then got that reason.
    private let thread: DedicatedThread?

    /// Opens the source in the new thread and begins. `open` is called there.
    ///
    /// - Parameters:
    ///   - cover: while it is set, a card is shown and the source is not read.
    ///   - cancellation: ends the waits of the source while it is opened or read. `stop` cancels it if the source does not end
    ///     by itself.
    ///   - timeout: nanoseconds that `stop` waits for the source.
    ///   - delegate: kept until the thread ends.
    ///   - observer: gets the beginning, the warnings, and what the source waits for or hides.
    init(
        configuration: TakeConfiguration, clock: TakeClock, cover: ScreenCover = ScreenCover(),
        cancellation: Cancellation = Cancellation(), timeout: Int64 = 2_000_000_000, delegate: any CaptureDelegate,
        observer: any TakeObserver, open: @escaping @Sendable () throws(VideoSourceError) -> any VideoSourceOpening
    ) {
        let control = Monitor(Control(cameraChange: configuration.video.camera.map { CameraChange(settings: $0) }))
        let wake = wake
        self.control = control
        self.cover = cover
        self.cancellation = cancellation
        self.timeout = timeout
        do throws(Errno) {
            thread = try DedicatedThread(starting: "capture") {
                defer { control.signal { $0.hasEnded = true } }
                do throws(VideoSourceError) {
                    if let source = try Self.finish(try open(), control, wake, observer) {
                        control.withLock { $0.isOpen = true }
                        try CaptureLoop(
                            source: source, configuration: configuration, clock: clock, cover: cover, control: control,
                            wake: wake, delegate: delegate, observer: observer
                        ).run()
                    }
                    delegate.captureEnded(nil)
                } catch {
                    delegate.captureEnded(error)
                }
            }
        } catch {
            thread = nil
            control.withLock { $0.hasEnded = true }
            delegate.captureEnded(.noThread(name: "capture", error))
        }
    }

    /// Waits until the source is open, however long that takes. Nil if the take ends before.
    private static func finish(
        _ opening: any VideoSourceOpening, _ control: Monitor<Control>, _ wake: WakeSignal,
        _ observer: any TakeObserver
    ) throws(VideoSourceError) -> (any VideoSource)? {
        var waiter = SourceWaiter(wake: wake, descriptors: [opening.descriptor])
        var isCommandAwaited = false
        while true {
            if let process = control.withLock({ $0.startedCommand.take() }) { opening.commandStarted(process) }
            let source = try opening.processEvents()
            if control.withLock({ $0.isStopping }) { return nil }
            if let source { return source }
            if opening.awaitsCommand, !isCommandAwaited {
                isCommandAwaited = true
                observer.observe(.commandAwaited(at: MonotonicClock.now()))
            }
            waiter.wait(until: opening.deadline, for: .sources)
        }
    }

    var counts: Counts { control.withLock { $0.counts } }

    /// Captures nothing until `resume`. The caller pauses the clock before.
    func pause() { change { $0.isPaused = true } }
    func resume() { change { $0.isPaused = false } }

    /// The program whose window the source waits for runs as `process`.
    func commandStarted(_ process: Int32) { change { $0.startedCommand = process } }

    /// Call it when the cover was set or removed.
    func coverChanged() { wake.signal() }

    /// Shows the frame again although it is unchanged, now or at an instant of CLOCK_MONOTONIC.
    func repeatFrame(at instant: Int64 = .min) { change { $0.repeatAt = min($0.repeatAt, instant) } }

    /// Shows another source as soon as it is open, fitted into the take's size. Until then, or if it cannot be opened,
    /// the previous one stays. A further call replaces a request that has not begun, which then gets no answer.
    func switchSource(_ wanted: Switch) { change { $0.wanted = wanted } }

    /// Ends the opening of another source, where it waits for a person.
    func giveUpSwitch() { change { $0.isSwitchGivenUp = true } }

    /// Notes that the pointer is at a pixel of the screen. Returns false if it is not in the picture.
    func note(pointer place: PixelPoint, isClick: Bool, at instant: Int64) -> Bool {
        change { control in
            guard let place = control.view?.framePlace(of: place) else { return false }
            let actions: [InputAction] = [.pointer(place)] + (isClick ? [.pressed(.left), .released(.left)] : [])
            control.notedInput += actions.map { InputEvent($0, at: instant) }
            return true
        }
    }

    /// Shows that camera from now on; nil: none.
    func setCamera(_ settings: TakeConfiguration.Camera?) {
        change { $0.cameraChange = CameraChange(settings: settings) }
    }

    /// Ends the thread and waits for it. At a constant rate, shows the last frame until `end`. Cancels a source that
    /// does not answer within the timeout, or at once if it is not open; if that fails, abandons the thread.
    func stop(at end: MediaTime = .zero) {
        let isOpen = change { control in
            control.isStopping = true
            control.end = end
            return control.isOpen
        }
        if isOpen, hasEnded(within: timeout) { return join() }
        cancellation.cancel()
        if hasEnded(within: timeout) { return join() }
        control.withLock { $0.isAbandoned = true }
    }

    private func join() { thread?.join() }

    private func hasEnded(within timeout: Int64) -> Bool {
        control.wait(until: MonotonicClock.now() + timeout) { $0.hasEnded ? true : nil } ?? false
    }

    private func change<Result>(_ body: (inout Control) -> Result) -> Result {
        defer { wake.signal() }
        return control.signal(body)
    }
}

/// Set by the desktop's thread and the main thread, read by capture.
///
/// Whether the screen's contents may be seen: while it is locked, they may not.
package final class ScreenCover: Sendable {
    enum State: Sendable {
        /// The desktop has not said yet whether the screen is locked.
        case unknown
        case open
        /// The screen was just locked, and the main thread has not decided yet: no frame of the screen or the card is
        /// made, unless the take has none yet.
        case held
        /// A card is shown instead.
        case covered
    }

    private let contents: Monitor<State>

    /// - Parameter isKnown: the screen belongs to no desktop, so it cannot be locked.
    package init(isKnown: Bool = true) { contents = Monitor(isKnown ? .open : .unknown) }

    var state: State { contents.withLock { $0 } }

    /// Notes whether the desktop has locked the screen.
    package func screenLocked(_ isLocked: Bool) { contents.signal { $0 = isLocked ? .held : .open } }

    /// Ends `held`: the main thread has paused the take, or the take goes on with the card.
    package func settle() { contents.signal { if $0 == .held { $0 = .covered } } }

    /// Removes the card, unless the screen was just locked again.
    package func uncover() { contents.signal { if $0 == .covered { $0 = .open } } }

    /// Waits until the state is known, or until `deadline` (nanoseconds of CLOCK_MONOTONIC), so that no take begins
    /// with a frame of the lock screen.
    func wait(until deadline: Int64) { _ = contents.wait(until: deadline) { $0 == .unknown ? nil : true } }
}
