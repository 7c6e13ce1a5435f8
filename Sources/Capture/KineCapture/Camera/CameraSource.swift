// A camera as a source of video: each of its frames is new as a whole.
import KineMedia
import KinePlatform

/// An open camera. Used by one thread. Its frames come at their own rate, and one that was not read in time is skipped.
public final class CameraSource: VideoSource {
    private let thread: CameraThread
    private var frame: CameraThread.Frame

    fileprivate init(_ thread: CameraThread, _ frame: CameraThread.Frame) {
        self.thread = thread
        self.frame = frame
    }

    deinit { thread.end() }

    public var size: PixelSize { frame.size }
    public var descriptor: Int32 { thread.descriptor }

    /// Throws when the camera has gone.
    public func processEvents() throws(VideoSourceError) -> Bool {
        thread.clear()
        if let failure = thread.failure { throw failure }
        return thread.hasFrame
    }

    public func addDamage(to damage: inout DamageRegion) throws(VideoSourceError) {
        guard let next = thread.next(after: frame) else { return }
        frame = next
        damage = .full(size: next.size)
    }

    public func read(_ region: DamageRegion, into receive: (FramePart) -> Void) throws(VideoSourceError) -> Bool {
        for rect in region.rectangles() {
            let first = UnsafeRawPointer(frame.pixels) + rect.y * frame.stride + rect.x * 4
            receive(FramePart(rect: rect, pixelFormat: .bgra, storage: .memory(first, stride: frame.stride)))
        }
        return true
    }
}

/// A camera that is being opened: it is open when its first frame is there.
public final class CameraOpening: VideoSourceOpening {
    private let thread: CameraThread
    private var isHandedOn = false

    /// - Parameters:
    ///   - wanted: a size that the camera is asked for; it may have another.
    public init(_ input: CameraInput, wanted: PixelSize) throws(VideoSourceError) {
        thread = try CameraThread(input, wanted: wanted)
    }

    deinit { if !isHandedOn { thread.end() } }

    public var descriptor: Int32 { thread.descriptor }

    public func processEvents() throws(VideoSourceError) -> (any VideoSource)? {
        thread.clear()
        if let failure = thread.failure { throw failure }
        guard let frame = thread.next(after: nil) else { return nil }
        isHandedOn = true
        return CameraSource(thread, frame)
    }
}
