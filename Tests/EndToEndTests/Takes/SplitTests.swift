// `--split`: several files that play alone and join without a gap.
import KineMeasure
import ProcessTesting
import Testing

@Suite(.serialized, .tags(.real, .programs, .long)) struct SplitTests {
    @Test func `the files of a split recording play alone, and joined they have every frame`() throws {
        try TestPlace.with { place in
            // At a constant rate each place has a frame, so that a lost one is seen.
            let ended = try place.run(
                "record", "a.mp4", "--virtual", "320x240", "--split", "5s", "--duration", "12s", "--fps", "30", "--cfr",
                "--json", "--", RunningKinecast.scene, "metronome")
            try #require(ended.status == 0, "\(ended)")
            let summary = try #require(ended.events.last)
            let files = try #require(summary.files)
            #expect(files.count > 1 && ended.errors.contains("Saved \(files.count) files"))
            #expect(files == (1...files.count).map { place.path("a-00\($0).mp4") })
            #expect(summary.output == files.first)
            var (frames, seconds) = (0, 0.0)
            var numbers: [Int] = []
            for path in files {
                try Players.accept(path)
                let video = try RecordedVideo(path: path)
                for (number, frame) in video.frames.enumerated() {
                    #expect(abs(frame.start - Double(number) / 30) < 0.001)
                }
                #expect(abs(video.duration - Double(video.frames.count) / 30) < 0.001)
                let audio = try RecordedAudio(path: path).samples
                #expect(abs(Double(audio.count) / Double(RecordedAudio.rate) - video.duration) < 0.1)
                let whole = try TakeFile.finishedDuration(path)
                #expect(abs(whole - video.duration) < 0.001)
                try video.decode { _, luma in
                    if let number = Barcode.read(luma) { numbers.append(number) }
                }
                frames += video.frames.count
                seconds += video.duration
            }
            #expect(frames == summary.framesDrawn)
            #expect(abs(seconds - (summary.duration ?? 0)) < 0.001 && abs(seconds - 12) < 0.05)
            // A busy machine draws fewer frames, but always in this order.
            #expect(numbers.count > 2 && numbers == numbers.sorted())
            try place.write(files.map { "file \($0)\n" }.joined(), to: "files.txt")
            func packets(_ path: String, _ stream: Int) throws -> Int {
                let lines = try Tool.output(
                    "ffmpeg", ["-v", "error", "-i", path, "-map", "0", "-c", "copy", "-f", "framecrc", "-"])
                return lines.split(separator: "\n").count { $0.hasPrefix("\(stream),") }
            }
            let joined = place.path("joined.mp4")
            let complaints = try Players.complaints(
                [
                    "ffmpeg", "-v", "warning", "-xerror", "-nostdin", "-f", "concat", "-safe", "0", "-i",
                    place.path("files.txt"), "-c", "copy", joined,
                ])
            // No two access units have one time.
            #expect(complaints == "")
            #expect(try packets(joined, 0) == frames)
            #expect(try packets(joined, 1) == files.reduce(0) { try $0 + packets($1, 1) })
        }
    }

    @Test func `a still screen is split too`() throws {
        try TestPlace.with { place in
            let ended = try place.run(
                "record", "a.mp4", "--virtual", "320x240", "--audio", "none", "--split", "5s", "--duration", "10s",
                "--json")
            try #require(ended.status == 0, "\(ended)")
            let files = try #require(ended.events.last?.files)
            #expect(files.count > 1)
            for file in files.dropLast() { #expect(try TakeFile.finishedDuration(file) >= 4.7) }
        }
    }
}
