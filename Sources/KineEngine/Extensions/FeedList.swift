// The extensions that are fed at the moment. The threads of a take ask it for whom to send; none of them waits for another.
import KineMedia
import KineRelay
import Synchronization

final class FeedList: Sendable {
    private struct State {
        var feeds: [ExtensionFeed] = []
        /// What they ask of the encoder.
        var requests: [ObjectIdentifier: EncodingRequest] = [:]
        var isPaused = false

        /// What extensions ask for, and what their far ends expect.
        var encodingRequest: EncodingRequest {
            let limits = feeds.filter(\.isEncoded).map { EncodingRequest(averageBitRate: $0.limits.bitrate) }
            return .lowest(of: limits + requests.values)
        }
    }

    private let state = Mutex(State())

    /// From now on the feed gets samples, unless the take is paused.
    func begin(_ feed: ExtensionFeed) {
        state.withLock { state in
            feed.begin(isPaused: state.isPaused)
            state.feeds.append(feed)
        }
    }

    func remove(_ feed: ExtensionFeed) {
        state.withLock { state in
            state.feeds.removeAll { $0 === feed }
            state.requests[ObjectIdentifier(feed)] = nil
        }
    }

    var all: [ExtensionFeed] { state.withLock { $0.feeds } }
    var isEmpty: Bool { state.withLock { $0.feeds.isEmpty } }

    /// Notes what one that takes encoded pictures asks of their encoder. Returns what all of them ask for together.
    func note(_ request: EncodingRequest, of feed: ExtensionFeed) -> EncodingRequest {
        state.withLock { state in
            if feed.isEncoded, state.feeds.contains(where: { $0 === feed }) {
                state.requests[ObjectIdentifier(feed)] = request
            }
            return state.encodingRequest
        }
    }

    /// What all together ask of the encoder.
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

    /// Somebody takes what the encoder makes.
    var wantsEncodedPictures: Bool { state.withLock { state in state.feeds.contains { $0.isEncoded } } }

    /// Somebody watches: a picture that stands still is repeated now and then.
    var hasVideo: Bool { stillInterval != nil }

    /// How long a picture may stand before it is repeated, in nanoseconds; nil: nobody watches.
    var stillInterval: Int64? {
        state.withLock { state in
            state.feeds.filter(\.hasVideo).map { $0.limits.stillInterval ?? Self.stillInterval }.min()
        }
    }

    private static let stillInterval: Int64 = 950_000_000

    var hasSound: Bool { state.withLock { state in state.feeds.contains { !$0.start.sounds.isEmpty } } }

    /// Whether somebody lost encoded pictures and has room for a keyframe now. All are asked: each says so only once.
    func takeKeyframeRequest() -> Bool {
        var isNeeded = false
        for feed in all where feed.isEncoded { isNeeded = feed.takeKeyframeRequest() || isNeeded }
        return isNeeded
    }

    func send(picture sample: EncodedSample) {
        for feed in all { feed.send(picture: sample) }
    }

    /// What listens to the take's sound for the extensions.
    func listeners() -> SoundListeners {
        SoundListeners(
            encoded: { track, sample in
                for feed in self.all { feed.send(sound: sample, of: track) }
            },
            plain: { track, type, samples, time, duration in
                for feed in self.all {
                    feed.send(plain: samples, of: track, type: type, at: time, duration: duration)
                }
            })
    }
}
