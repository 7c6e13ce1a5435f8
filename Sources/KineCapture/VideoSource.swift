// What the pipeline asks of anything that can be seen: sleep until something may have changed, say what, and show it.
import KineMedia

/// A source of pictures, driven by the capture thread alone. Only `interrupt` may be called from elsewhere.
public protocol VideoSource: AnyObject {
    /// The picture's size in pixels now. It may differ after any `wait`; everything then counts as damage.
    var size: PixelSize { get }

    /// Sleeps until the picture may have changed, CLOCK_MONOTONIC reaches `deadline` (nanoseconds; nil waits for ever), or
    /// `interrupt` is called. With `ignoringChanges` only the deadline and an interrupt end the sleep: the pause between
    /// two frames, in which a mouse may report a thousand moves.
    func wait(until deadline: Int64?, ignoringChanges: Bool) throws(VideoSourceError) -> VideoSourceWake

    /// What may have changed since the last call, in the picture's own coordinates.
    func takeDamage() throws(VideoSourceError) -> DamageRegion

    /// Reads the tiles of `region`, and shows them rectangle by rectangle: BGRA pixels, and the bytes from one row to the
    /// next. The rectangles start on tiles; together they cover the region, perhaps more. The pixels are valid inside the
    /// closure only.
    func read(
        _ region: DamageRegion, _ body: (_ rect: PixelRect, _ pixels: UnsafeRawPointer, _ stride: Int) -> Void
    ) throws(VideoSourceError)

    /// Whether the last `read` showed all it was asked for. Otherwise the source changed meanwhile, and says so as damage.
    var readWasComplete: Bool { get }

    /// A closure that ends the current or the next `wait`; it may be called from any thread, for as long as the source lives.
    var interrupter: @Sendable () -> Void { get }
}

extension VideoSource {
    public var readWasComplete: Bool { true }
}

public enum VideoSourceWake: Equatable, Sendable {
    case changed
    case deadline
    case interrupted
}

/// Why a source cannot go on, or could not begin.
public enum VideoSourceError: Error, Equatable, Sendable, CustomStringConvertible {
    /// It came to its natural end: the window was closed. The recording is whole.
    case ended(reason: String)
    /// Something the machine needs is missing. One sentence: what, and what to do.
    case unavailable(String)
    /// It was lost while recording. One sentence.
    case lost(String)

    public var description: String {
        switch self {
        case .ended(let text), .unavailable(let text), .lost(let text): text
        }
    }
}
