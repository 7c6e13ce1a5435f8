// Copies the frames of one output by one of two protocols of the compositor, and keeps the newest frame.
import KineCapture
import KineMedia

/// Used on the connection's thread.
protocol OutputCopier: AnyObject {
    var copy: OutputCopy { get set }

    /// The latest time to call `advance`; nil: after the compositor's next event.
    var deadline: Int64? { get }
    /// A new frame can be taken.
    var hasFrame: Bool { get }
    /// The rotation that makes the current frame upright, if known now.
    var orientation: Orientation? { get }

    /// Sends the requests that are due.
    func makeRequests(at now: Int64)
    /// Drops the copied frame and the current copy. Requests a new frame if the output exists.
    func startAgain()
    /// Makes the newest frame current, and not stale; requests the next one without a flush. Nil: there is no new frame.
    func takeFrame() -> TakenFrame?
}

/// A frame that has become the current one.
struct TakenFrame {
    /// What has changed, in the frame's own pixels; nil: all may have changed.
    var damage: [PixelRect]?
}

extension OutputCopier {
    /// The pixels of the current frame; nil: there is no frame yet.
    var size: PixelSize? { copy.buffers.size }

    /// As `CopyBuffers.pixels(of:)`.
    func pixels(of rect: PixelRect) -> (first: UnsafeRawPointer, stride: Int, packing: PackedPixels)? {
        copy.buffers.pixels(of: rect)
    }

    /// Sends the requests that are due. Throws if the compositor's frames cannot be read.
    func advance(to now: Int64) throws(VideoSourceError) {
        makeRequests(at: now)
        if let failure = copy.failure { throw failure }
    }

    /// Only frames requested from now on may be read. The last frame of a missing output stays.
    func discardFrame() {
        copy.isStale = copy.proxy != nil
        copy.isDiscarded = copy.isStale
        startAgain()
    }

    /// The outputs have changed: this one may have gone or come back.
    func outputsChanged() {
        let proxy = copy.findOutput()
        guard proxy != copy.proxy else { return }
        copy.proxy = proxy
        if proxy == nil { copy.isStale = false }
        startAgain()
    }
}

/// A copied output, and its frames.
struct OutputCopy {
    /// The source of the copies.
    struct Subject {
        var output: FollowedMonitor
        /// The part of the output, in logical pixels from its corner; nil: all of it.
        var part: PixelRect?
    }

    private(set) var subject: Subject
    let showsCursor: Bool
    let outputs: WaylandOutputs
    /// The output's proxy for requests; nil: the output has gone.
    var proxy: OpaquePointer?
    var buffers: CopyBuffers
    /// The current frame was discarded, and nothing can be shown before the next one.
    var isStale = false
    /// The current frame was discarded. Also set while black is shown in its place.
    var isDiscarded = false
    /// Why the frames cannot be read.
    var failure: VideoSourceError?

    /// `memory` is the compositor's wl_shm.
    init(
        _ subject: Subject, showsCursor: Bool, outputs: WaylandOutputs, memory: OpaquePointer,
        _ connection: WaylandConnection
    ) {
        self.subject = subject
        self.showsCursor = showsCursor
        self.outputs = outputs
        buffers = CopyBuffers(memory: memory, connection)
        proxy = findOutput()
    }

    /// The proxy of the output, whatever its name is now. Nil: the output has gone.
    fileprivate mutating func findOutput() -> OpaquePointer? {
        let all = outputs.complete
        return subject.output.find(among: all.map { ($0.name, $0.bounds) }).flatMap { outputs.proxy(of: all[$0].name) }
    }

    /// The compositor's description of the output; nil: it has gone.
    var output: WaylandOutput? { outputs.output(named: subject.output.name) }

    /// The buffer for the next frame, in this layout; nil: sets `failure`.
    mutating func nextBuffer(_ layout: CopyBuffer.Layout) -> OpaquePointer? {
        do throws(VideoSourceError) {
            return try buffers.next(layout)
        } catch {
            failure = error
            return nil
        }
    }
}
