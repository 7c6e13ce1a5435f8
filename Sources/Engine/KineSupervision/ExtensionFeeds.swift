// The samples of a destination, over the feeds of all its processes: what they got, and what they missed.
import KineMedia
import KineRings
import KineTake

/// The feed of an extension's current process, and the counts of all feeds. A crash resets no count.
struct ExtensionFeeds {
    /// The process's feed; nil from one process's end until the next one's feed is made.
    private(set) var current: SampleFeed?
    /// The counts of earlier feeds, and of the samples missed between them.
    private var earlier = StreamSender.Counts()
    /// The take's progress at the end of the last feed; nil before the first end and once the next feed has begun.
    private var progressAtEnd: Take.Counts?

    /// The samples of all processes. The queue is the current one's.
    var counts: StreamSender.Counts { earlier + (current?.sender.counts ?? StreamSender.Counts()) }

    /// Takes a process's feed, which gets no samples yet.
    mutating func open(_ feed: SampleFeed) { current = feed }

    /// Call before the take begins to feed. Counts the samples that the take made since the last feed ended: no process
    /// received them.
    mutating func begin(at progress: Take.Counts) {
        guard let feed = current, let before = progressAtEnd.take() else { return }
        let seconds = (progress.duration - before.duration).seconds
        if feed.hasVideo {
            let most = feed.frames?.framesPerSecond.map { Int(seconds * Double($0)) } ?? .max
            earlier.framesSkipped += min(progress.framesDrawn - before.framesDrawn, most)
        }
        earlier.audioLost += seconds * Double(feed.stream.audio.count)
    }

    /// Call after the take has ended feeding.
    mutating func end(at progress: Take.Counts) { progressAtEnd = progress }

    /// Releases the feed after its process has ended. Counts the unread samples as lost.
    mutating func close() {
        current?.sender.receiverEnded()
        earlier = counts
        current = nil
    }
}
