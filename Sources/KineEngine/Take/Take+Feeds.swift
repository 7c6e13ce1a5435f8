import KineControl
// What a take offers to who supervises the extensions: feeds, made when the formats are known, begun and ended at will.
import KineMedia
import KinePlatform
import KineRelay
import KineServices

extension Take {
    /// Makes what an extension is fed with and calls `ready`, on any thread, once the formats are known; at once where they
    /// are. A failure says in one sentence why this extension cannot be fed, or that the take itself could not begin.
    public func makeFeed(
        for manifest: ServiceManifest, setupInfo: [String: String],
        ready: @escaping @Sendable (Result<ExtensionFeed, TakeFailure>) -> Void
    ) {
        desk.order(FeedDesk.Order(manifest: manifest, setupInfo: setupInfo, ready: ready))
    }

    /// From the next picture on the extension gets samples; one is made at once, as a keyframe where it wants encoded ones.
    /// In a paused take it comes when the take is resumed.
    public func beginFeeding(_ feed: ExtensionFeed) {
        desk.begin(feed)
        if feed.isEncoded {
            requestKeyframe(.joined)
        } else if feed.hasVideo {
            repeatPicture()
        }
    }

    /// Nothing more is sent once this returns. What was sent can still be read; the pictures that the process has are drawn
    /// over when `feed` is given up.
    public func endFeeding(_ feed: ExtensionFeed) { desk.end(feed) }

    /// Has a keyframe encoded although the picture may stand still, for an extension that lost pictures: now, or as soon as the
    /// limit of one in two seconds allows.
    public func requestKeyframe() { requestKeyframe(.lost) }

    private func requestKeyframe(_ reason: KeyframeRequests.Reason) {
        guard let outlet = desk.outlet else { return }
        repeatPicture(at: outlet.encoding.requestKeyframe(reason, at: MonotonicClock.now()))
    }

    /// From the next picture on the encoder makes no more than this and the other feeds ask for. It ends with the feed.
    public func requestEncoding(_ request: EncodingRequest, for feed: ExtensionFeed) {
        desk.request(request, for: feed)
    }

    /// What is shown, for `broadcastAnnotated(withApplicationInfo:)`; empty until the source is open. The keys are those of
    /// `SourceAnnotation`.
    public var annotation: [String: String] { desk.annotation }
}
