// How many frames a file has, and when they are shown.
import Glibc
import KineMeasure
import KinePlatform
import Testing

extension MediaTests {
    @Suite struct MediaRateTests {
        @Test(arguments: [SceneKind.bars, .clock])
        func `a constant rate has frames of one length, on a still and on a moving screen`(scene: SceneKind) throws {
            try TestPlace.with { place in
                let recording = try SceneRecording(of: scene, in: place, "--cfr", "--fps", "20", "--duration", "2")
                let video = recording.video
                #expect(Self.isEven(video) && video.frames.count == 40)
                #expect(recording.summary.framesDrawn == video.frames.count)
            }
        }

        /// Whether all frames, the last one too, last a twentieth of a second.
        private static func isEven(_ video: RecordedVideo) -> Bool {
            video.frames.enumerated().allSatisfy {
                abs($1.start - Double($0) / 20) < 2e-5 && abs($1.duration - 0.05) < 2e-5
            }
        }

        /// What ends a take.
        enum End: CaseIterable {
            case duration, signal, command, pause, death
        }

        @Test(arguments: End.allCases) func `at a constant rate the last frame is as long as the others`(end: End)
            throws
        {
            try TestPlace.with { place in
                var arguments = ["record", "a.mp4", "--pattern", "64x64", "--audio", "none", "--cfr", "--fps", "20"]
                // Not whole intervals: the last frame begins within that time.
                if end == .duration { arguments += ["--duration", "0.73"] }
                arguments += ["--json"] + (end == .command ? ["--", "sleep", "0.73"] : [])
                let take = try place.start(arguments)
                switch end {
                case .duration, .command: break
                case .signal:
                    try take.recorded(0.5)
                    take.signal(SIGINT)
                case .pause:
                    try take.recorded(0.5)
                    #expect(try place.run("pause").status == 0)
                    take.signal(SIGINT)
                case .death:
                    try take.recorded(0.5)
                    kill(try place.registry().find(nil).pid, SIGKILL)
                }
                let ended = try take.wait()
                let video = try RecordedVideo(path: place.path("a.mp4"))
                #expect(Self.isEven(video), "\(video.frames.suffix(3))")
                if end == .duration { #expect(video.frames.count == 15) }
                #expect(ended.status == (end == .death ? ExitStatus.engineDied : 0))
                #expect(ended.events.last?.framesDrawn == video.frames.count)
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
