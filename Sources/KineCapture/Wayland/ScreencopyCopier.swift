// Has a compositor copy the frames of one output, or of a part of it (wlr-screencopy-unstable-v1).
import CWayland
import KineMedia
import KinePlatform
import KineWayland

/// Used on the connection's thread.
final class ScreencopyCopier: OutputCopier {
    var copy: OutputCopy
    private let manager: OpaquePointer
    private var machine: ScreencopyStateMachine
    private var frameObject: OpaquePointer?

    private let frameListener = Listener(
        kine_frame_listener(
            buffer: { context, _, format, width, height, stride in
                ScreencopyCopier.from(context).perform {
                    $0.described(
                        ScreencopyStateMachine.Layout(
                            format: format, size: PixelSize(width: Int(width), height: Int(height)), stride: Int(stride)
                        ))
                }
            },
            flags: { context, _, flags in ScreencopyCopier.from(context).machine.note(isUpsideDown: flags & 1 != 0) },
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

    /// The manager is the connection's; `version` is what it was bound with.
    init(_ copy: OutputCopy, manager: OpaquePointer, version: UInt32) {
        self.copy = copy
        self.manager = manager
        machine = ScreencopyStateMachine(version: version, hasDamage: copy.subject.part == nil)
    }

    deinit { if let frameObject { kine_destroy_frame(frameObject) } }

    private static func from(_ context: UnsafeMutableRawPointer?) -> ScreencopyCopier {
        Unmanaged<ScreencopyCopier>.fromOpaque(context!).takeUnretainedValue()
    }

    var deadline: Int64? { machine.deadline }
    var hasFrame: Bool { machine.hasFrame }
    /// A turned output says so by an event of its own.
    var orientation: Orientation? { copy.output?.orientation }

    func makeRequests(at now: Int64) { perform { $0.advance(to: now) } }

    func startAgain() { perform { $0.outputChanged(isThere: copy.proxy != nil) } }

    func takeFrame() -> (damage: [PixelRect]?, isResized: Bool)? {
        guard let frame = machine.frame else { return nil }
        copy.isStale = false
        let (isOther, isResized) = copy.buffers.exchange(
            CopyBuffers.View(part: PixelRect(size: frame.layout.size), isUpsideDown: frame.isUpsideDown))
        perform { $0.taken() }
        return (isOther ? nil : frame.damage, isResized)
    }

    private func perform(_ change: (inout ScreencopyStateMachine) -> ScreencopyStateMachine.Request?) {
        switch change(&machine) {
        case .capture: capture()
        case .copy(let layout, let waitsForDamage):
            guard let buffer = copy.nextBuffer(layout) else { return }
            kine_copy_frame(frameObject, buffer, waitsForDamage ? 1 : 0)
        case .release:
            if let frameObject { kine_destroy_frame(frameObject) }
            frameObject = nil
        case nil: break
        }
    }

    private func capture() {
        guard let output = copy.proxy else { return perform { $0.outputChanged(isThere: false) } }
        let context = Unmanaged.passUnretained(self).toOpaque()
        let cursor: Int32 = copy.showsCursor ? 1 : 0
        frameObject =
            if let part = copy.subject.part {
                kine_capture_region(
                    manager, output, cursor, Int32(part.x), Int32(part.y), Int32(part.width), Int32(part.height),
                    frameListener.table, context)
            } else {
                kine_capture_output(manager, output, cursor, frameListener.table, context)
            }
    }
}
