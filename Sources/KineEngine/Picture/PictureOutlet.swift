// Where capture puts its pictures: to readers that take them as they are, to readers that want another size or format, and to
// the encoder. None of them is waited for.
import KineImaging
import KineMedia
import KineRelay
import Synchronization

/// Hands each picture on. Capture calls it; feeds come and go from any thread.
public final class PictureOutlet: Sendable {
    private struct State {
        /// Readers of the encoder's own pictures, each of them.
        var readers: [(feed: ExtensionFeed, reader: PictureReader)] = []
        var delivery: PictureDelivery?
        var isFinished = false
    }

    let encoding: VideoEncodingThread
    private let feeds: FeedList
    private let isRecorded: Bool
    private let duration: MediaTime
    private let canvas: CaptureThread.CanvasDescription
    private let state = Mutex(State())

    /// `isRecorded`: pictures are encoded in any case, also where no feed wants them.
    init(
        encoding: VideoEncodingThread, feeds: FeedList = FeedList(), isRecorded: Bool = true, framesPerSecond: Int,
        canvas: CaptureThread.CanvasDescription
    ) {
        self.encoding = encoding
        self.feeds = feeds
        self.isRecorded = isRecorded
        self.canvas = canvas
        duration = .seconds(1 / Double(max(1, framesPerSecond)))
    }

    /// The picture's size to show.
    var size: PixelSize { canvas.size }

    // MARK: On the capture thread

    /// How long a picture may stand before it is shown again, in nanoseconds; nil: nobody watches.
    var stillInterval: Int64? { feeds.stillInterval }

    /// Frees the slots that readers have given back.
    func reclaim() {
        for (_, reader) in state.withLock({ $0.readers }) { reader.reclaim() }
    }

    /// Takes over a picture that was lent once. `time` is since the take's first picture; at `repeats` it is shown again.
    func take(_ picture: PictureRing.Picture, at time: MediaTime, repeats: [MediaTime]) {
        let (readers, delivery) = state.withLock { ($0.readers, $0.delivery) }
        for (feed, _) in readers {
            feed.offer(slot: picture.slot, at: time, duration: duration, changed: picture.changed)
        }
        delivery?.take(picture, at: time, duration: duration)
        if isRecorded || feeds.wantsEncodedPictures {
            encoding.encode(picture, at: time, repeats: repeats)
        } else {
            encoding.leaveOut()
            canvas.release(picture)
        }
    }

    // MARK: On any thread

    /// Every picture goes to `feed`, or, with a group or a rate, what the delivery makes of it.
    func add(_ feed: ExtensionFeed, _ reader: PictureReader, from group: ConvertedPictures?, framesPerSecond: Int?) {
        if group == nil && framesPerSecond == nil {
            state.withLock { $0.readers.append((feed, reader)) }
        } else {
            delivery()?.add(feed, reader, from: group, framesPerSecond: framesPerSecond)
        }
    }

    func remove(_ feed: ExtensionFeed) {
        let delivery = state.withLock { state in
            state.readers.removeAll { $0.feed === feed }
            return state.delivery
        }
        delivery?.remove(feed)
    }

    /// The thread for readers that want another size or format; started when the first of them comes. Nil at the end of the take,
    /// and where the process may have no more threads: they get no pictures then, and the take goes on.
    func delivery() -> PictureDelivery? {
        state.withLock { state in
            if state.isFinished || state.delivery != nil { return state.delivery }
            let delivery = try? PictureDelivery(size: canvas.codedSize, loans: canvas.loans, release: canvas.release)
            state.delivery = delivery
            return delivery
        }
    }

    /// Everything taken so far reaches whom it is for. Only when capture has stopped. Blocks until it is encoded.
    func finish() {
        let delivery = state.withLock { state in
            state.isFinished = true
            return state.delivery.take()
        }
        delivery?.finish()
        encoding.finish()
    }
}
