// Has a compositor copy the frames of one output, by one of two protocols, and keeps the newest frame.
import KineCapture
import KineMedia

/// Used on the connection's thread.
protocol OutputCopier: AnyObject {
    var copy: OutputCopy { get set }

    /// The instant at which `advance` is to be called; nil: after the compositor's next event.
    var deadline: Int64? { get }
    /// A frame is there that has not been taken.
    var hasFrame: Bool { get }
    /// The turn that brings the frame upright that is read; nil: not known now.
    var orientation: Orientation? { get }

    /// Makes the requests that are due.
    func makeRequests(at now: Int64)
    /// Drops the copied frame, and the copy that is under way. Asks for a new frame where the output is there.
    func startAgain()
    /// The newest frame is read from now on, and is not stale. Returns its damage in its own pixels, nil where all of it may have changed; and whether its
    /// size is another one. The next frame is asked for, without a flush.
    func takeFrame() -> (damage: [PixelRect]?, isResized: Bool)?
}

extension OutputCopier {
    /// The pixels of the frame that is read; nil: there was none yet.
    var size: PixelSize? { copy.buffers.size }

    /// As `CopyBuffers` has it.
    func pixels(of rect: PixelRect) -> (first: UnsafeRawPointer, stride: Int, packing: PackedPixels)? {
        copy.buffers.pixels(of: rect)
    }

    /// Makes the requests that are due. Throws where the compositor's frames cannot be read.
    func advance(to now: Int64) throws(VideoSourceError) {
        makeRequests(at: now)
        if let failure = copy.failure { throw failure }
    }

    /// No frame is read any more but one that is asked for from now on. Of an output that is away, the last one stays.
    func discardFrame() {
        copy.isStale = copy.proxy != nil
        startAgain()
    }

    /// The outputs have changed: perhaps this one has gone, or has come back.
    func outputsChanged() {
        let proxy = copy.outputs.proxy(of: copy.subject.output)
        guard proxy != copy.proxy else { return }
        copy.proxy = proxy
        if proxy == nil { copy.isStale = false }
        startAgain()
    }
}

/// The output that is copied, and its frames.
struct OutputCopy {
    /// What is copied.
    struct Subject {
        /// The output's name.
        var output: String
        /// Of the output, in logical pixels from its corner; nil: all of it.
        var part: PixelRect?
    }

    let subject: Subject
    let showsCursor: Bool
    let outputs: WaylandOutputs
    /// The object of the output that frames are asked of; nil: it is away.
    var proxy: OpaquePointer?
    var buffers: CopyBuffers
    /// The frame that is read is older than what is to be seen.
    var isStale = false
    /// Why its frames cannot be read.
    var failure: VideoSourceError?

    /// `memory` is the compositor's wl_shm.
    init(
        _ subject: Subject, showsCursor: Bool, outputs: WaylandOutputs, memory: OpaquePointer,
        _ connection: WaylandConnection
    ) {
        self.subject = subject
        self.showsCursor = showsCursor
        self.outputs = outputs
        proxy = outputs.proxy(of: subject.output)
        buffers = CopyBuffers(memory: memory, connection)
    }

    /// As the compositor describes it; nil: it is away.
    var output: WaylandOutput? { outputs.output(named: subject.output) }

    /// The buffer that the compositor draws next, in this layout; nil: there is none, for `failure`.
    mutating func nextBuffer(_ layout: CopyBuffer.Layout) -> OpaquePointer? {
        do throws(VideoSourceError) {
            return try buffers.next(layout)
        } catch {
            failure = error
            return nil
        }
    }
}
