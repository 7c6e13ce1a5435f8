// How many frames a file has, and when they are shown.
import KineMeasure
import Testing

extension MediaTests {
    @Suite struct MediaRateTests {
        @Test(arguments: [SceneKind.bars, .clock])
        func `a constant rate has frames of one length, on a still and on a moving screen`(scene: SceneKind) throws {
            try TestPlace.with { place in
                let recording = try SceneRecording(of: scene, in: place, "--cfr", "--fps", "20", "--duration", "2")
                let video = recording.video
                let isEven = video.frames.enumerated().allSatisfy { abs($1.start - Double($0) / 20) < 2e-5 }
                #expect(isEven)
                // The last lasts to the end of the take, which a busy machine may reach before the next is taken.
                #expect(video.frames.dropLast().allSatisfy { abs($0.duration - 0.05) < 2e-5 })
                #expect(try #require(video.frames.last).duration > 0.049)
                #expect(video.frames.count <= 41 && video.duration > 1.95)
                #expect(recording.summary.framesDrawn == video.frames.count)
            }
        }

        @Test func `no more frames a second than were asked for`() throws {
            try TestPlace.with { place in
                let video = try SceneRecording(
                    of: .motion, ["--fps", "60"], in: place, "--fps", "10", "--duration", "2"
                ).video
                #expect(video.frames.count <= 23)
                for (earlier, later) in zip(video.frames, video.frames.dropFirst(10)) {
                    // An interval and a half may be made up for.
                    #expect(later.start - earlier.start > 0.8)
                }
            }
        }
    }
}
