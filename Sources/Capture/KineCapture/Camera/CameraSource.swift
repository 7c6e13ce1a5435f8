// A camera as a video source: each frame is entirely new.
import KineMedia

/// An open camera. Used by one thread. Frames come at the camera's own rate; a frame that is read late is skipped.
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

    /// Throws if the camera has gone.
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
            receive(FramePart(rect: rect, pixels: first, stride: frame.stride))
        }
        return true
    }
}

/// A camera that is being opened, until its first frame.
public final class CameraOpening: VideoSourceOpening {
    private let thread: CameraThread
    private var isHandedOn = false

    /// - Parameters:
    ///   - wanted: the size to request of the camera, which may give another one.
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
