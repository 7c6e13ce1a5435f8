// The sample feeds of clients: one for each, as for an extension. Only feeds are ended, never clients: a slow client
// loses samples, and one that corrupts its shared memory loses its feed.
import KineMedia
import KinePlatform
import KineRings
import KineTake
import KineWire
import SystemPackage

/// Used by the main thread.
final class ClientFeeds: PollSource {
    /// A feed for the main thread, or the reason why there is none.
    struct Delivery: Sendable {
        let number: Int
        let result: Result<SampleFeed, TakeError>
    }

    private struct Reader {
        let number: Int
        let client: EngineConnection
        let request: SampleRequest
        let sharesMemory: Bool
        /// Nil until it is made.
        var feed: SampleFeed?
    }

    /// Nanoseconds between two checks of the shared memory.
    private static let watchInterval: Int64 = 80_000_000

    /// Each feed may need memory for its own conversion.
    private static let mostAtOnce = 16

    private let inbox: Inbox
    private var readers: [Reader] = []
    private var lastNumber = 0
    private var take: Take?
    private(set) var nextDeadline: Int64?

    init(inbox: Inbox) { self.inbox = inbox }

    /// Requests a feed for a client. Returns the reason if it is refused. `sharesMemory`: as in `FeedRequest`.
    func add(_ request: SampleRequest, for client: EngineConnection, sharesMemory: Bool) -> String? {
        if readers.contains(where: { $0.client === client }) {
            return "This client gets samples already; end them first, or connect once more."
        }
        if readers.count >= Self.mostAtOnce {
            return "\(Self.mostAtOnce) clients get samples of this take, which is the most; end one of them first."
        }
        lastNumber += 1
        let reader = Reader(number: lastNumber, client: client, request: request, sharesMemory: sharesMemory)
        readers.append(reader)
        if let take { make(reader, in: take) }
        return nil
    }

    func opened(_ take: Take) {
        self.take = take
        for reader in readers { make(reader, in: take) }
    }

    private func make(_ reader: Reader, in take: Take) {
        let (request, number) = (reader.request, reader.number)
        take.makeFeed(
            FeedRequest(
                SampleRequirements(request), of: "The app", cameraSize: request.cameraSize,
                sharesMemory: reader.sharesMemory
            ) { [inbox] result in
                inbox.post(.clientFeed(Delivery(number: number, result: result)))
            })
    }

    /// Handles a feed, or the reason why there is none.
    func deliver(_ delivery: Delivery, isPaused: Bool, at now: Int64) {
        guard let index = readers.firstIndex(where: { $0.number == delivery.number }), let take else { return }
        switch delivery.result {
        case .failure(let error):
            send(.failed(error.message), to: readers[index])
            readers.remove(at: index)
        case .success(let feed):
            readers[index].feed = feed
            guard send(.start(feed.stream), to: readers[index], descriptors: feed.descriptors) else {
                readers.remove(at: index)
                return
            }
            take.beginFeeding(feed)
            if isPaused { send(.pause(after: feed.sender.position), to: readers[index]) }
            nextDeadline = nextDeadline ?? now + Self.watchInterval
        }
    }

    // Each position is the number of samples sent so far: a pause begins and ends between two of them.

    func paused() { tell { .pause(after: $0) } }

    /// Call before the feeds get samples again.
    func resuming() { tell { .resume(after: $0) } }

    func finished() {
        tell { .finish(after: $0) }
        for reader in readers { end(reader) }
        readers = []
        nextDeadline = nil
    }

    private func tell(_ message: (StreamPosition) -> SampleFeedMessage) {
        for reader in readers { if let feed = reader.feed { send(message(feed.sender.position), to: reader) } }
    }

    func remove(_ client: EngineConnection) { remove { $0.client === client } }

    /// Ends the feeds for which `reason` returns a sentence.
    func end(_ reason: (SampleRequest, EngineConnection) -> String?) {
        for reader in readers {
            guard let reason = reason(reader.request, reader.client) else { continue }
            send(.failed(reason), to: reader)
            remove(reader.client)
        }
    }

    /// Ends the feeds of clients that have gone, or corrupted their memory. Call it whenever the loop wakes.
    func poll(at now: Int64) {
        remove { $0.client.isClosed }
        guard let due = nextDeadline, now >= due else { return }
        remove { reader in
            guard let feed = reader.feed, let reason = Self.ending(of: feed) else { return false }
            send(.failed(reason), to: reader)
            return true
        }
        nextDeadline = readers.isEmpty ? nil : now + Self.watchInterval
    }

    private static func ending(of feed: SampleFeed) -> String? {
        if feed.violation != nil { return "The app corrupted its sample buffer; request samples again." }
        return feed.isOutgrown ? "The take's video has another format now; request samples again." : nil
    }

    /// - Parameter isGone: called once for each reader, since other threads change what it finds.
    private func remove(where isGone: (Reader) -> Bool) {
        readers.removeAll { reader in
            guard isGone(reader) else { return false }
            end(reader)
            return true
        }
    }

    private func end(_ reader: Reader) { if let feed = reader.feed { take?.endFeeding(feed) } }

    /// False if the client cannot be reached.
    @discardableResult
    private func send(
        _ message: SampleFeedMessage, to reader: Reader, descriptors: [FileDescriptor] = []
    ) -> Bool {
        (try? reader.client.send(.event(.samples(message)), descriptors: descriptors)) != nil
    }
}

extension SampleRequest {
    /// Nil: the request has no camera.
    fileprivate var cameraSize: PixelSize? { if case .camera(let size) = video { size } else { nil } }
}
