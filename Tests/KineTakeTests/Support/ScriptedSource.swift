// A screen that the test paints on, with or without saying so.
import KineCapture
import KineMedia
import KinePlatform

final class ScriptedSource: VideoSource {
    /// The test's handle on the screen, for any thread.
    final class Screen: Sendable {
        fileprivate struct State {
            var size: PixelSize
            var pixels: [UInt32]
            var damage: DamageRegion
            var pointer: PointerState?
            var isPointerNew = false
            var error: VideoSourceError?
            var reads = 0
            /// A frame is held, which is that of an earlier moment: once it is discarded, nothing can be read before the next fill.
            var holdsFrame = false
            var isDiscarded = false
            var readLimit: ReadLimit?
            var isLimitForFirst = false
            var refusals = 0
        }

        fileprivate let state: Monitor<State>
        fileprivate let wake = WakeSignal()

        init(size: PixelSize) {
            state = Monitor(
                State(size: size, pixels: [UInt32](repeating: 0, count: size.area), damage: .full(size: size)))
        }

        /// Fills a rectangle; some compositors paint and do not report it.
        func fill(_ rect: PixelRect, _ colour: UInt32, isReported: Bool = true) {
            state.withLock { state in
                for y in rect.y..<rect.maxY {
                    for x in rect.x..<rect.maxX { state.pixels[y * state.size.width + x] = colour }
                }
                if isReported { state.damage.insert(rect) }
                state.isDiscarded = false
            }
            if isReported { wake.signal() }
        }

        /// Moves the pointer, which the pixels do not contain.
        func point(_ pointer: PointerState) {
            state.withLock { ($0.pointer, $0.isPointerNew) = (pointer, true) }
            wake.signal()
        }

        /// Shows all pixels, rows packed.
        func withPixels(_ body: (UnsafeRawPointer) -> Void) {
            state.withLock { state in
                state.pixels.withUnsafeBytes { bytes in
                    if let base = bytes.baseAddress { body(base) }
                }
            }
        }

        func fail(_ error: VideoSourceError) {
            state.withLock { $0.error = error }
            wake.signal()
        }

        var descriptor: Int32 { wake.descriptor }

        /// From now on the source has its frames from elsewhere, and may have to wait for one.
        func holdFrame() { state.withLock { $0.holdsFrame = true } }

        /// Every read fails from now on.
        ///
        /// - Parameter isForFirst: the limit is for the first frame alone.
        func refuseReads(_ limit: ReadLimit, isForFirst: Bool) {
            state.withLock { ($0.isDiscarded, $0.readLimit, $0.isLimitForFirst) = (true, limit, isForFirst) }
        }

        /// All damage was taken over.
        var isSeen: Bool { state.withLock { $0.damage.isEmpty } }

        /// Reads that had to wait.
        var refusals: Int { state.withLock { $0.refusals } }

        /// Pixels read so far.
        var reads: Int { state.withLock { $0.reads } }
    }

    private let screen: Screen

    init(_ screen: Screen) { self.screen = screen }

    /// The opening for a capture thread.
    static func opening(_ screen: Screen) -> any VideoSourceOpening { ImmediateOpening { ScriptedSource(screen) } }

    var size: PixelSize { screen.state.withLock { $0.size } }
    var descriptor: Int32 { screen.wake.descriptor }
    var pointer: PointerState? { screen.state.withLock { $0.pointer } }

    func processEvents() throws(VideoSourceError) -> Bool {
        screen.wake.clear()
        let (error, hasChanged) = screen.state.withLock { ($0.error, !$0.damage.isEmpty || $0.isPointerNew) }
        if let error { throw error }
        return hasChanged
    }

    func addDamage(to damage: inout DamageRegion) throws(VideoSourceError) {
        let (error, reported) = screen.state.withLock { state in
            defer {
                state.damage.removeAll()
                state.isPointerNew = false
            }
            return (state.error, state.damage)
        }
        if let error { throw error }
        damage.formUnion(reported)
    }

    func readLimit(isFirst: Bool) -> ReadLimit? {
        screen.state.withLock { isFirst || !$0.isLimitForFirst ? $0.readLimit : nil }
    }

    func discardFrames() { screen.state.withLock { $0.isDiscarded = $0.holdsFrame } }

    func read(_ region: DamageRegion, into receive: (FramePart) -> Void) throws(VideoSourceError) -> Bool {
        let isRefused = screen.state.withLock { state in
            if state.isDiscarded { state.refusals += 1 }
            return state.isDiscarded
        }
        if isRefused { return false }
        // Under the lock: the thread sanitizer does not see that a copy of the array is parted from it before it is painted on.
        screen.state.withLock { state in
            let width = state.size.width
            state.pixels.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                for rect in region.rectangles() {
                    let first = base + (rect.y * width + rect.x) * 4
                    receive(FramePart(rect: rect, pixels: first, stride: width * 4))
                }
            }
            state.reads += region.rectangles().reduce(0) { $0 + $1.size.area }
        }
        return true
    }
}
