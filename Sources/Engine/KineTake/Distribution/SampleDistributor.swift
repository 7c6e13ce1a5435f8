// Hands encoded frames and audio to every feed that has begun. The threads of a take call it, and none waits for another.
import KineMedia
import Synchronization

final class SampleDistributor: Sendable {
    private struct State {
        var feeds: [SampleFeed] = []
        /// Their requests to the encoder.
        var requests: [ObjectIdentifier: EncodingRequest] = [:]
        var isPaused = false

        /// The lowest of all requests and of all far ends' limits.
        var encodingRequest: EncodingRequest {
            let limits = feeds.filter(\.wantsEncodedVideo).map { EncodingRequest(averageBitrate: $0.limits.bitrate) }
            return .lowest(of: limits + requests.values)
        }
    }

    private let state = Mutex(State())

    /// From now on the feed gets samples, unless the take is paused.
    func begin(_ feed: SampleFeed) {
        state.withLock { state in
            feed.begin(isPaused: state.isPaused)
            state.feeds.append(feed)
        }
    }

    func remove(_ feed: SampleFeed) {
        state.withLock { state in
            state.feeds.removeAll { $0 === feed }
            state.requests[ObjectIdentifier(feed)] = nil
        }
    }

    var isEmpty: Bool { state.withLock { $0.feeds.isEmpty } }

    private var feeds: [SampleFeed] { state.withLock { $0.feeds } }

    /// Notes the request of a feed of encoded frames. Returns the request of all feeds together.
    func note(_ request: EncodingRequest, of feed: SampleFeed) -> EncodingRequest {
        state.withLock { state in
            if feed.wantsEncodedVideo, state.feeds.contains(where: { $0 === feed }) {
                state.requests[ObjectIdentifier(feed)] = request
            }
            return state.encodingRequest
        }
    }

    /// The request of all feeds together.
    var encodingRequest: EncodingRequest { state.withLock { $0.encodingRequest } }

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

    var wantsEncodedVideo: Bool { state.withLock { state in state.feeds.contains { $0.wantsEncodedVideo } } }

    /// Somebody watches: a frame that stands still is repeated now and then.
    var hasVideo: Bool { stillInterval != nil }

    /// The longest time that a frame may stand before it is repeated, in nanoseconds; nil: nobody watches.
    var stillInterval: Int64? {
        state.withLock { state in
            state.feeds.filter(\.hasVideo).map { $0.limits.stillInterval ?? Self.stillInterval }.min()
        }
    }

    private static let stillInterval: Int64 = 950_000_000

    var hasAudio: Bool { state.withLock { state in state.feeds.contains { $0.hasAudio } } }

    /// Whether a feed lost encoded frames and has room for a keyframe now. All are asked: each says so only once.
    func consumeKeyframeRequest() -> Bool {
        var isNeeded = false
        for feed in feeds where feed.wantsEncodedVideo { isNeeded = feed.consumeKeyframeRequest() || isNeeded }
        return isNeeded
    }

    func send(video sample: EncodedSample) {
        for feed in feeds { feed.send(video: sample) }
    }

    /// An access unit of a track of the take's `AudioPlan`.
    func send(audio sample: EncodedSample, of track: Int) {
        for feed in feeds { feed.send(audio: sample, of: track) }
    }

    /// Interleaved samples of a track.
    func send(pcm samples: Span<Float>, of track: Int, type: SampleType, at time: MediaTime, duration: MediaTime) {
        for feed in feeds { feed.send(pcm: samples, of: track, type: type, at: time, duration: duration) }
    }
}
