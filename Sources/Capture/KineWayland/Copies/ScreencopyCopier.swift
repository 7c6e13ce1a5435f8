// Copies the frames of one output, or of a part of it, by a compositor (wlr-screencopy-unstable-v1).
import CWayland
import KineMedia
import KinePlatform

/// Used on the connection's thread.
final class ScreencopyCopier: OutputCopier, CallbackTarget {
    var copy: OutputCopy
    private let manager: OpaquePointer
    private var machine: ScreencopyStateMachine
    private var frameObject: OpaquePointer?

    private let frameListener = Listener(
        zwlr_screencopy_frame_v1_add_listener,
        zwlr_screencopy_frame_v1_listener(
            buffer: { context, _, format, width, height, stride in
                ScreencopyCopier.from(context).machine.note(
                    layout: CopyBuffer.Layout(
                        format: format, size: PixelSize(width: Int(width), height: Int(height)), stride: Int(stride)))
            },
            flags: { context, _, flags in
                let isUpsideDown = flags & ZWLR_SCREENCOPY_FRAME_V1_FLAGS_Y_INVERT.rawValue != 0
                ScreencopyCopier.from(context).machine.note(isUpsideDown: isUpsideDown)
            },
            ready: { context, _, _, _, _ in ScreencopyCopier.from(context).perform { $0.ready() } },
            failed: { context, _ in ScreencopyCopier.from(context).perform { $0.failed(at: MonotonicClock.now()) } },
            damage: { context, _, x, y, width, height in
                ScreencopyCopier.from(context).machine.note(
                    damage: PixelRect(x: Int(x), y: Int(y), width: Int(width), height: Int(height)))
            },
            linux_dmabuf: { _, _, _, _, _ in },
            buffer_done: { context, _ in
                ScreencopyCopier.from(context).perform { $0.descriptionEnded(at: MonotonicClock.now()) }
            }))

    /// The connection owns the manager.
    init(_ copy: OutputCopy, manager: OpaquePointer) {
        self.copy = copy
        self.manager = manager
        machine = ScreencopyStateMachine(hasDamage: copy.subject.part == nil)
    }

    deinit { if let frameObject { zwlr_screencopy_frame_v1_destroy(frameObject) } }

    var deadline: Int64? { machine.deadline }
    var hasFrame: Bool { machine.hasFrame }
    /// The output reports its orientation by a separate event.
    var orientation: Orientation? { copy.output?.orientation }

    func makeRequests(at now: Int64) { perform { $0.advance(to: now) } }

    func startAgain() { perform { $0.outputChanged(isThere: copy.proxy != nil) } }

    func takeFrame() -> TakenFrame? {
        guard let frame = machine.frame else { return nil }
        (copy.isStale, copy.isDiscarded) = (false, false)
        let isOther = copy.buffers.exchange(
            CopyBuffers.View(part: PixelRect(size: frame.layout.size), isUpsideDown: frame.isUpsideDown))
        perform { $0.taken() }
        return TakenFrame(damage: isOther ? nil : frame.damage)
    }

    private func perform(_ change: (inout ScreencopyStateMachine) -> ScreencopyStateMachine.Request?) {
        switch change(&machine) {
        case .capture: capture()
        case .copy(let layout, let waitsForDamage):
            guard let buffer = copy.nextBuffer(layout) else { return }
            if waitsForDamage {
                zwlr_screencopy_frame_v1_copy_with_damage(frameObject, buffer)
            } else {
                zwlr_screencopy_frame_v1_copy(frameObject, buffer)
            }
        case .release:
            if let frameObject { zwlr_screencopy_frame_v1_destroy(frameObject) }
            frameObject = nil
        case nil: break
        }
    }

    private func capture() {
        guard let output = copy.proxy else { return perform { $0.outputChanged(isThere: false) } }
        let cursor: Int32 = copy.showsCursor ? 1 : 0
        let frame: OpaquePointer? =
            if let part = copy.subject.part {
                zwlr_screencopy_manager_v1_capture_output_region(
                    manager, cursor, output, Int32(part.x), Int32(part.y), Int32(part.width), Int32(part.height))
            } else {
                zwlr_screencopy_manager_v1_capture_output(manager, cursor, output)
            }
        frameObject = frameListener.attach(to: frame, callbackData)
    }
}
