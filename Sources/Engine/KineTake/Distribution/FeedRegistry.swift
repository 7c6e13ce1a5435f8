// The list of a take's begun feeds. It sends them encoded frames and audio; FrameDistributor and FrameConverter find
// those that want uncompressed frames in it. The take's threads call it, and none waits for another.
import KineMedia
import Synchronization

final class FeedRegistry: Sendable {
    private struct State {
        var feeds: [SampleFeed] = []
        var requests: [ObjectIdentifier: EncodingRequest] = [:]
        var isPaused = false
    }

    private let state = Mutex(State())

    /// A feed that ends while a caller reads the list gets nothing more.
    var feeds: [SampleFeed] { state.withLock { $0.feeds } }

    /// From now on the feed gets samples, unless the take is paused.
    func begin(_ feed: SampleFeed) {
        state.withLock { state in
            feed.begin(isPaused: state.isPaused)
            state.feeds.append(feed)
        }
    }

    /// Sends nothing more to the feed, and drops its request to the encoder.
    func end(_ feed: SampleFeed) {
        feed.end()
        state.withLock { state in
            state.feeds.removeAll { $0 === feed }
            state.requests[ObjectIdentifier(feed)] = nil
        }
    }

    func pause() {
        state.withLock { state in
            state.isPaused = true
            for feed in state.feeds { feed.pause() }
        }
    }

    func resume() {
        state.withLock { state in
            state.isPaused = false
            for feed in state.feeds { feed.resume() }
        }
    }

    var isEmpty: Bool { feeds.isEmpty }
    var hasAudio: Bool { feeds.contains(where: \.hasAudio) }
    var hasVideo: Bool { feeds.contains(where: \.hasVideo) }
    var wantsEncodedVideo: Bool { feeds.contains(where: \.wantsEncodedVideo) }

    /// The longest time that a frame may stand before it is repeated, in nanoseconds; nil: no feed has video.
    var stillInterval: Int64? {
        feeds.filter(\.hasVideo).map { $0.limits.stillInterval ?? Self.stillInterval }.min()
    }

    private static let stillInterval: Int64 = 950_000_000

    /// The lowest of all requests to the encoder and of all far ends' limits.
    var encodingRequest: EncodingRequest {
        state.withLock { state in
            let limits = state.feeds.filter(\.wantsEncodedVideo)
                .map { EncodingRequest(averageBitrate: $0.limits.bitrate) }
            return .lowest(of: limits + state.requests.values)
        }
    }

    /// Records the request of a begun feed of encoded frames.
    func note(_ request: EncodingRequest, of feed: SampleFeed) {
        state.withLock { state in
            guard feed.wantsEncodedVideo, state.feeds.contains(where: { $0 === feed }) else { return }
            state.requests[ObjectIdentifier(feed)] = request
        }
    }

    /// Whether a feed lost encoded frames and has room for a keyframe now. Asks all feeds: each answers true only once.
    func consumeKeyframeRequest() -> Bool {
        var isNeeded = false
        for feed in feeds where feed.wantsEncodedVideo { isNeeded = feed.consumeKeyframeRequest() || isNeeded }
        return isNeeded
    }

    func send(video sample: EncodedSample) {
        for feed in feeds { feed.send(video: sample) }
    }

    /// An access unit of a track.
    func send(audio sample: EncodedSample, of output: AudioPlan.Output) {
        for feed in feeds { feed.send(audio: sample, of: output) }
    }

    /// Interleaved samples of a track.
    func send(
        pcm samples: Span<Float>, of output: AudioPlan.Output, type: SampleType, at time: MediaTime, duration: MediaTime
    ) {
        for feed in feeds { feed.send(pcm: samples, of: output, type: type, at: time, duration: duration) }
    }
}
