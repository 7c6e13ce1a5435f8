// Has a compositor copy the frames of one output, or of a part of it, and keeps the newest.
import CWayland
import KineMedia
import KinePlatform
import KineWayland

/// Used on the connection's thread.
final class OutputCopier {
    /// What is copied.
    struct Subject {
        /// The output's name.
        var output: String
        /// Of the output, in logical pixels from its corner; nil: all of it.
        var part: PixelRect?
    }

    /// The manager of screencopy, and the memory's; both are the connection's.
    struct Globals {
        var screencopy: OpaquePointer
        var version: UInt32
        var memory: OpaquePointer
        var connection: WaylandConnection
    }

    let subject: Subject
    private let globals: Globals
    private let outputs: WaylandOutputs
    private let showsCursor: Bool
    private var machine: ScreencopyStateMachine
    /// The object of the output that frames are asked of; nil: it is away.
    private var output: OpaquePointer?
    private var frameObject: OpaquePointer?
    /// The buffer that the compositor draws next.
    private var next: ScreencopyBuffer?
    /// The buffer that is read.
    private var current: (buffer: ScreencopyBuffer, isUpsideDown: Bool)?
    private var failure: VideoSourceError?

    private let frameListener = Listener(
        kine_frame_listener(
            buffer: { context, _, format, width, height, stride in
                OutputCopier.from(context).perform {
                    $0.described(
                        ScreencopyStateMachine.Layout(
                            format: format, size: PixelSize(width: Int(width), height: Int(height)), stride: Int(stride)
                        ))
                }
            },
            flags: { context, _, flags in OutputCopier.from(context).machine.note(isUpsideDown: flags & 1 != 0) },
            ready: { context, _, _, _, _ in OutputCopier.from(context).perform { $0.ready() } },
            failed: { context, _ in OutputCopier.from(context).perform { $0.failed(at: MonotonicClock.now()) } },
            damage: { context, _, x, y, width, height in
                OutputCopier.from(context).machine.note(
                    damage: PixelRect(x: Int(x), y: Int(y), width: Int(width), height: Int(height)))
            },
            linux_dmabuf: { _, _, _, _, _ in },
            buffer_done: { context, _ in
                OutputCopier.from(context).perform { $0.descriptionEnded(at: MonotonicClock.now()) }
            }))

    init(_ subject: Subject, globals: Globals, outputs: WaylandOutputs, showsCursor: Bool) {
        self.subject = subject
        self.globals = globals
        self.outputs = outputs
        self.showsCursor = showsCursor
        machine = ScreencopyStateMachine(version: globals.version, hasDamage: subject.part == nil)
        output = outputs.proxy(of: subject.output)
    }

    deinit { if let frameObject { kine_destroy_frame(frameObject) } }

    private static func from(_ context: UnsafeMutableRawPointer?) -> OutputCopier {
        Unmanaged<OutputCopier>.fromOpaque(context!).takeUnretainedValue()
    }

    var deadline: Int64? { machine.deadline }
    /// A frame is there that has not been taken.
    var hasFrame: Bool { machine.hasFrame }
    /// The pixels of the frame that is read; nil: there was none yet.
    var size: PixelSize? { current?.buffer.layout.size }

    /// Makes the requests that are due. Throws where the compositor's frames cannot be read.
    func advance(to now: Int64) throws(VideoSourceError) {
        perform { $0.advance(to: now) }
        if let failure { throw failure }
    }

    /// The outputs have changed: perhaps this one has gone, or has come back.
    func outputsChanged() {
        let proxy = outputs.proxy(of: subject.output)
        guard proxy != output else { return }
        output = proxy
        perform { $0.outputChanged(isThere: proxy != nil) }
    }

    /// Drops the copied frame, and the copy that is under way. Asks for a new frame.
    func discardFrame() { perform { $0.outputChanged(isThere: output != nil) } }

    /// The newest frame is read from now on. Returns its damage in its own pixels, nil where all of it may have changed; and whether its
    /// size is another one. The next frame is asked for, without a flush.
    func takeFrame() -> (damage: [PixelRect]?, isResized: Bool)? {
        guard let frame = machine.frame, let next else { return nil }
        let isResized = current?.buffer.layout.size != next.layout.size
        let isTurned = current?.isUpsideDown != frame.isUpsideDown
        let free = current?.buffer
        current = (next, frame.isUpsideDown)
        self.next = free
        perform { $0.taken() }
        return (isResized || isTurned ? nil : frame.damage, isResized)
    }

    /// The pixel at the upper left of `rect` in the frame that is read, and the bytes from one row to the next, which are negative where
    /// the compositor's rows are from the bottom up.
    func pixels(of rect: PixelRect) -> (first: UnsafeRawPointer, stride: Int, packing: PackedPixels)? {
        guard let (buffer, isUpsideDown) = current else { return nil }
        let (layout, packing) = (buffer.layout, buffer.packing)
        let row = isUpsideDown ? layout.size.height - 1 - rect.y : rect.y
        let first = buffer.pixels + row * layout.stride + rect.x * packing.bytesPerPixel
        return (first, isUpsideDown ? -layout.stride : layout.stride, packing)
    }

    private func perform(_ change: (inout ScreencopyStateMachine) -> ScreencopyStateMachine.Request?) {
        switch change(&machine) {
        case .capture: capture()
        case .copy(let layout, let waitsForDamage): copy(layout, waitsForDamage: waitsForDamage)
        case .release:
            if let frameObject { kine_destroy_frame(frameObject) }
            frameObject = nil
        case nil: break
        }
    }

    private func capture() {
        guard let output else { return perform { $0.outputChanged(isThere: false) } }
        let context = Unmanaged.passUnretained(self).toOpaque()
        let cursor: Int32 = showsCursor ? 1 : 0
        frameObject =
            if let part = subject.part {
                kine_capture_region(
                    globals.screencopy, output, cursor, Int32(part.x), Int32(part.y), Int32(part.width),
                    Int32(part.height), frameListener.table, context)
            } else {
                kine_capture_output(globals.screencopy, output, cursor, frameListener.table, context)
            }
    }

    private func copy(_ layout: ScreencopyStateMachine.Layout, waitsForDamage: Bool) {
        do throws(VideoSourceError) {
            if next?.layout != layout {
                next = nil  // before the new one, which may be as large
                next = try ScreencopyBuffer(layout, memory: globals.memory, globals.connection)
            }
            if let next { kine_copy_frame(frameObject, next.proxy, waitsForDamage ? 1 : 0) }
        } catch {
            failure = error
        }
    }
}
