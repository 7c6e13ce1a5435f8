// `--split`: several files that play alone and join without a gap.
import KineMeasure
import KinePlatform
import ProcessTesting
import Testing

@Suite(.serialized, .tags(.real, .programs, .long)) struct SplitTests {
    @Test func `the files of a split recording play alone, and joined they have every frame`() throws {
        try TestPlace.with { place in
            // At a constant rate each place has a frame, so that a lost one is seen.
            let ended = try place.run(
                "record", "a.mp4", "--virtual", "320x240", "--split", "5s", "--duration", "12s", "--fps", "30", "--cfr",
                "--json", "--", RunningKinecast.scene, "flash")
            try #require(ended.status == 0, "\(ended)")
            let summary = try #require(ended.events.last)
            #expect(summary.files == (1...3).map { place.path("a-00\($0).mp4") })
            #expect(summary.output == place.path("a-001.mp4"))
            #expect(ended.errors.contains("Saved 3 files"))
            var (frames, seconds) = (0, 0.0)
            for path in summary.files ?? [] {
                try Players.accept(path)
                let video = try RecordedVideo(path: path)
                #expect(video.frames.first?.start == 0)
                let audio = try RecordedAudio(path: path).samples
                #expect(abs(Double(audio.count) / Double(RecordedAudio.rate) - video.duration) < 0.1)
                #expect(try TakeFile.finishedDuration(path) >= video.duration - 0.001)
                frames += video.frames.count
                seconds += video.duration
            }
            #expect(frames == 360 && summary.framesDrawn == 360)
            #expect(abs(seconds - 12) < 0.001)
            try place.write((1...3).map { "file a-00\($0).mp4\n" }.joined(), to: "files.txt")
            let joined = try Tool.output(
                "ffmpeg",
                [
                    "-v", "error", "-xerror", "-nostdin", "-f", "concat", "-safe", "0", "-i", place.path("files.txt"),
                    "-map", "0:v", "-fps_mode", "passthrough", "-f", "framemd5", "-",
                ])
            #expect(joined.split(separator: "\n").count { !$0.hasPrefix("#") } == 360)
        }
    }

    @Test func `a still screen is split too`() throws {
        try TestPlace.with { place in
            let ended = try place.run(
                "record", "a.mp4", "--virtual", "320x240", "--audio", "none", "--split", "5s", "--duration", "7s",
                "--json")
            try #require(ended.status == 0, "\(ended)")
            let files = try #require(ended.events.last?.files)
            #expect(files.count == 2)
            #expect(try TakeFile.finishedDuration(files[0]) >= 4.7)
        }
    }
}
