// The counts of a destination's samples over the feeds of several processes.
import KineMedia
import KineRings
import Testing

@testable import KineSupervision
@testable import KineTake

@Suite struct ExtensionFeedsTests {
    /// A feed of encoded frames and of one stream of audio.
    private func feed() throws -> SampleFeed {
        let sender = try StreamSender(video: true, frames: nil, sampleRingBytes: 1 << 16)
        let format = VideoFormat(
            parameterSets: .h264(H264ParameterSets(sequence: [0x67, 1], picture: [0x68, 2])),
            size: PixelSize(width: 64, height: 48))
        let audio = AudioFormat.pcm(.audioApp, sampleRate: 48000, channels: 2)
        let stream = StreamDescription(
            framesPerSecond: 10, video: StreamDescription.EncodedVideo(format), frames: nil, audio: [audio],
            sampleRingBytes: sender.sampleRingBytes)
        return SampleFeed(sender: sender, stream: stream, frames: nil, tracks: [(track: 0, audio: audio)])
    }

    private func progress(_ second: Double, frames: Int) -> Take.Counts {
        Take.Counts(duration: .seconds(second), bytes: 0, framesDrawn: frames, framesUnchanged: 0, framesDropped: 0)
    }

    @Test func `samples that no process read are missed, those made between two processes once`() throws {
        var feeds = ExtensionFeeds()
        let first = try feed()
        feeds.open(first)
        feeds.begin(at: progress(1, frames: 10))
        first.sender.send(
            EncodedSample(
                type: .video, presentationTime: .zero, duration: .seconds(0.1), isKeyframe: true, data: [1, 2, 3]))
        feeds.end(at: progress(2, frames: 20))
        feeds.close()
        #expect(feeds.current == nil && feeds.counts.framesSkipped == 1)
        feeds.open(try feed())
        feeds.begin(at: progress(5, frames: 50))
        feeds.begin(at: progress(6, frames: 60))
        #expect(feeds.counts.framesSkipped == 31 && feeds.counts.audioLost == 3)
    }
}
