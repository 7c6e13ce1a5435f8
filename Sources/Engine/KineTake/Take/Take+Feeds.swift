// The feeds of a take, for extensions and for clients: made once the formats are known, begun and ended at will.
import KineMedia
import KinePlatform

extension Take {
    /// Makes a feed and calls the request's `ready`, on any thread, once the formats are known; at once if they are.
    package func makeFeed(_ request: FeedRequest) { factory.request(request) }

    /// The feed gets samples from the next frame on. A frame is made at once, as a keyframe if the feed wants encoded video; in a
    /// paused take, when the take is resumed.
    package func beginFeeding(_ feed: SampleFeed) {
        if feed.hasAudio && !feeds.hasAudio { audio.listen(true) }
        factory.distributor?.begin(feed)
        if feed.wantsEncodedVideo {
            requestKeyframe(.joined)
        } else if feed.hasVideo {
            repeatFrame()
        }
    }

    /// Nothing is sent once this returns. The reader keeps earlier samples; its frames are drawn over once `feed` is released.
    package func endFeeding(_ feed: SampleFeed) {
        factory.distributor?.end(feed)
        if feed.hasAudio && !feeds.hasAudio { audio.listen(false) }
    }

    /// Has a keyframe encoded although the screen may stand still: now, or as soon as the limits of `KeyframeRequests` allow.
    package func requestKeyframe(_ reason: KeyframeRequests.Reason) {
        guard let encoding = factory.distributor?.encoding else { return }
        repeatFrame(at: encoding.requestKeyframe(reason, at: MonotonicClock.now()))
    }

    /// From the next frame on the encoder keeps to the lowest request of all feeds. The request ends with the feed.
    package func requestEncoding(_ request: EncodingRequest, for feed: SampleFeed) {
        factory.distributor?.adjust(to: request, for: feed)
    }
}
