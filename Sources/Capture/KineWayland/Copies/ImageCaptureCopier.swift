// Captures the frames of one output by a compositor (ext-image-copy-capture-v1), and crops them.
import CWayland
import KineMedia
import KinePlatform

/// Used on the connection's thread.
final class ImageCaptureCopier: OutputCopier, CallbackTarget {
    /// The managers of sessions and of capture sources. The connection owns both.
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
        ext_image_copy_capture_session_v1_add_listener,
        ext_image_copy_capture_session_v1_listener(
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
        ext_image_copy_capture_frame_v1_add_listener,
        ext_image_copy_capture_frame_v1_listener(
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
                    case EXT_IMAGE_COPY_CAPTURE_FRAME_V1_FAILURE_REASON_BUFFER_CONSTRAINTS.rawValue: .constraints
                    case EXT_IMAGE_COPY_CAPTURE_FRAME_V1_FAILURE_REASON_STOPPED.rawValue: .stopped
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

    var deadline: Int64? { machine.deadline }
    var hasFrame: Bool { machine.hasFrame }

    func makeRequests(at now: Int64) { perform { $0.advance(to: now) } }

    func startAgain() { perform { $0.startAgain(isThere: copy.proxy != nil) } }

    func takeFrame() -> TakenFrame? {
        guard let frame = machine.frame else { return nil }
        (copy.isStale, copy.isDiscarded) = (false, false)
        let isOther = copy.buffers.exchange(CopyBuffers.View(part: frame.part))
        orientation = frame.orientation
        perform { $0.taken() }
        return TakenFrame(damage: isOther ? nil : frame.damage)
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
        source = ext_output_image_capture_source_manager_v1_create_source(globals.sources, output)
        let options = copy.showsCursor ? EXT_IMAGE_COPY_CAPTURE_MANAGER_V1_OPTIONS_PAINT_CURSORS.rawValue : 0
        session = sessionListener.attach(
            to: ext_image_copy_capture_manager_v1_create_session(globals.sessions, source, options), callbackData)
    }

    private func closeSession() {
        closeFrame()
        if let session { ext_image_copy_capture_session_v1_destroy(session) }
        if let source { ext_image_capture_source_v1_destroy(source) }
        (session, source) = (nil, nil)
    }

    private func closeFrame() {
        if let frameObject { ext_image_copy_capture_frame_v1_destroy(frameObject) }
        frameObject = nil
    }

    private func capture(_ layout: CopyBuffer.Layout, _ missing: [PixelRect]?) {
        closeFrame()
        guard let session, let buffer = copy.nextBuffer(layout) else { return }
        frameObject = frameListener.attach(to: ext_image_copy_capture_session_v1_create_frame(session), callbackData)
        guard let frameObject else { return }
        ext_image_copy_capture_frame_v1_attach_buffer(frameObject, buffer)
        for rect in missing ?? [PixelRect(size: layout.size)] {
            ext_image_copy_capture_frame_v1_damage_buffer(
                frameObject, Int32(rect.x), Int32(rect.y), Int32(rect.width), Int32(rect.height))
        }
        ext_image_copy_capture_frame_v1_capture(frameObject)
    }
}
