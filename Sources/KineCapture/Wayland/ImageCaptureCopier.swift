// Has a compositor capture the frames of one output (ext-image-copy-capture-v1), and cuts a part out of them.
import CWayland
import KineMedia
import KinePlatform
import KineWayland

/// Used on the connection's thread.
final class ImageCaptureCopier: OutputCopier {
    /// The managers of sessions and of what they capture; both are the connection's.
    struct Globals {
        var sessions: OpaquePointer
        var sources: OpaquePointer
    }

    var copy: OutputCopy
    private let globals: Globals
    private var machine: ImageCaptureStateMachine
    private var source: OpaquePointer?
    private var session: OpaquePointer?
    private var frameObject: OpaquePointer?
    private(set) var orientation: Orientation?

    private let sessionListener = Listener(
        kine_capture_session_listener(
            buffer_size: { context, _, width, height in
                ImageCaptureCopier.from(context).machine.note(size: PixelSize(width: Int(width), height: Int(height)))
            },
            shm_format: { context, _, format in ImageCaptureCopier.from(context).machine.note(format: format) },
            dmabuf_device: { _, _, _ in },
            dmabuf_format: { _, _, _, _ in },
            done: { context, _ in ImageCaptureCopier.from(context).perform { $0.constraintsEnded() } },
            stopped: { context, _ in
                ImageCaptureCopier.from(context).perform { $0.stopped(at: MonotonicClock.now()) }
            }))
    private let frameListener = Listener(
        kine_captured_frame_listener(
            transform: { context, _, transform in
                ImageCaptureCopier.from(context).machine.note(
                    orientation: Orientation(undoingWaylandTransform: Int32(truncatingIfNeeded: transform)))
            },
            damage: { context, _, x, y, width, height in
                ImageCaptureCopier.from(context).machine.note(
                    damage: PixelRect(x: Int(x), y: Int(y), width: Int(width), height: Int(height)))
            },
            presentation_time: { _, _, _, _, _ in },
            ready: { context, _ in
                let copier = ImageCaptureCopier.from(context)
                let desktop = copier.copy.output?.bounds.size ?? PixelSize(width: 0, height: 0)
                copier.perform { $0.ready(desktop: desktop) }
            },
            failed: { context, _, reason in
                let failure: ImageCaptureStateMachine.Failure =
                    switch reason {
                    case KINE_CAPTURE_FAILED_CONSTRAINTS.rawValue: .constraints
                    case KINE_CAPTURE_FAILED_STOPPED.rawValue: .stopped
                    default: .unknown
                    }
                ImageCaptureCopier.from(context).perform { $0.failed(failure, at: MonotonicClock.now()) }
            }))

    init(_ copy: OutputCopy, globals: Globals) {
        self.copy = copy
        self.globals = globals
        machine = ImageCaptureStateMachine(part: copy.subject.part)
    }

    deinit { closeSession() }

    private static func from(_ context: UnsafeMutableRawPointer?) -> ImageCaptureCopier {
        Unmanaged<ImageCaptureCopier>.fromOpaque(context!).takeUnretainedValue()
    }

    var deadline: Int64? { machine.deadline }
    var hasFrame: Bool { machine.hasFrame }

    func makeRequests(at now: Int64) { perform { $0.advance(to: now) } }

    func startAgain() { perform { $0.startAgain(isThere: copy.proxy != nil) } }

    func takeFrame() -> (damage: [PixelRect]?, isResized: Bool)? {
        guard let frame = machine.frame else { return nil }
        copy.isStale = false
        let (isOther, isResized) = copy.buffers.exchange(CopyBuffers.View(part: frame.part))
        orientation = frame.orientation
        perform { $0.taken() }
        return (isOther ? nil : frame.damage, isResized)
    }

    private func perform(_ change: (inout ImageCaptureStateMachine) -> ImageCaptureStateMachine.Request?) {
        switch change(&machine) {
        case .open: openSession()
        case .close: closeSession()
        case .capture(let layout, let missing): capture(layout, missing)
        case .release: closeFrame()
        case .fail(let error): copy.failure = error
        case nil: break
        }
    }

    private func openSession() {
        closeSession()
        guard let output = copy.proxy else { return perform { $0.startAgain(isThere: false) } }
        source = kine_create_capture_source(globals.sources, output)
        session = kine_create_capture_session(
            globals.sessions, source, copy.showsCursor ? 1 : 0, sessionListener.table,
            Unmanaged.passUnretained(self).toOpaque())
    }

    private func closeSession() {
        closeFrame()
        if let session { kine_destroy_capture_session(session) }
        if let source { kine_destroy_capture_source(source) }
        (session, source) = (nil, nil)
    }

    private func closeFrame() {
        if let frameObject { kine_destroy_captured_frame(frameObject) }
        frameObject = nil
    }

    private func capture(_ layout: CopyBuffer.Layout, _ missing: [PixelRect]?) {
        closeFrame()
        guard let session, let buffer = copy.nextBuffer(layout) else { return }
        let context = Unmanaged.passUnretained(self).toOpaque()
        guard let frame = kine_create_captured_frame(session, frameListener.table, context) else { return }
        frameObject = frame
        kine_attach_to_captured_frame(frame, buffer)
        for rect in missing ?? [PixelRect(size: layout.size)] {
            kine_damage_captured_frame(frame, Int32(rect.x), Int32(rect.y), Int32(rect.width), Int32(rect.height))
        }
        kine_capture_frame(frame)
    }
}
