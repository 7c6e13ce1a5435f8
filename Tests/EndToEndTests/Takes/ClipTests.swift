// Clips of real takes, from the command line and over the control channel.
import FoundationEssentials
import Glibc
import KineMeasure
import KineMedia
import KinePlatform
import KineWire
import ProcessTesting
import Testing

@Suite(.serialized, .tags(.real, .programs, .long)) struct ClipTests {
    private func clip(_ place: TestPlace, _ arguments: String...) throws -> RunningKinecast.Event {
        let ended = try place.run(["clip", "--json"] + arguments)
        try #require(ended.status == 0, "\(ended)")
        return try #require(ended.events.first)
    }

    /// Compares a clip with the recording of the same take: frame by frame, and sample by sample.
    private func compare(_ clip: RunningKinecast.Event, with recording: String) throws {
        let path = try #require(clip.output)
        let start = try #require(clip.start)
        let whole = try #require(try PlayedFile(recording))
        let part = try #require(try PlayedFile(path))
        // All frames before its end, back to the keyframe that it begins with.
        let end = whole.frames.count { $0.start < start + (clip.duration ?? 0) - 0.000001 }
        let first = end - part.frames.count
        try #require(part.frames.count == clip.frames && first >= 0)
        for (frame, original) in zip(part.frames, whole.frames[first...]) {
            #expect(frame.hash == original.hash)
            // What was shown already when the clip begins, begins with it.
            #expect(original.start < start ? frame.start < 0.001 : abs(frame.start + start - original.start) < 0.0001)
        }
        let video = try RecordedVideo(path: path)
        #expect(abs(video.duration - (clip.duration ?? 0)) < 0.001, "the last frame lasts until the end")

        let (sound, original) = (try RecordedAudio(path: path).samples, try RecordedAudio(path: recording).samples)
        #expect(abs(Double(sound.count) / 48000 - video.duration) < 0.1)
        let place = Int((start * 48000).rounded())
        var largest: Float = 0
        var energy: Float = 0
        for index in 0..<min(sound.count - 4096, original.count - place) {
            largest = max(largest, abs(sound[index] - original[place + index]))
            energy = max(energy, abs(original[place + index]))
        }
        // Noise that the decoder makes up itself may differ; a shift by one sample of the 1 kHz beep is 0.03.
        #expect(energy > 0.1 && largest < 0.01, "the audio differs by \(largest)")
    }

    @Test func `a clip is that part of the recording, with its audio to the sample, and begins as it says`() throws {
        try TestPlace.with { place in
            let take = try place.start(
                "record", "a.mp4", "--pattern", "320x240", "--clip-buffer", "5s", "--json")
            try take.recorded(3.5)
            let first = try clip(place, "-t", "1.5", "-o", "first.mp4")
            try take.recorded(6)
            let second = try clip(place, "-t", "1m", "-o", "second.mp4")
            take.signal(SIGINT)
            #expect(try take.wait().status == 0)
            let length = try #require(first.duration)
            // The pattern moves in every frame: the clip begins at a keyframe, two seconds before at most.
            #expect((1.5...3.5).contains(length) && first.askedDuration == 1.5)
            #expect((5...7).contains(second.duration ?? 0))
            for clip in [first, second] { try compare(clip, with: place.path("a.mp4")) }
        }
    }

    @Test func `a clip of a private screen is that part of the recording, with the screen's audio`() throws {
        try TestPlace.with { place in
            let take = try place.start(
                "record", "a.mp4", "--virtual", "320x240", "--clip-buffer", "10s", "--json", "--",
                RunningKinecast.scene, "flash")
            // It flashes and beeps once a second from its start on, which a busy machine delays.
            let flashing = try take.event("progress") { ($0.framesDrawn ?? 0) >= 5 }
            try take.recorded((flashing.duration ?? 0) + 3)
            let event = try clip(place, "-t", "3", "-o", "clip.mp4")
            take.signal(SIGINT)
            #expect(try take.wait().status == 0)
            try compare(event, with: place.path("a.mp4"))
        }
    }

    @Test func `a take with only a clip buffer has no file, and its clips have audio`() throws {
        try TestPlace.with { place in
            let take = try place.start(
                "record", "--virtual", "320x240", "--clip-buffer", "10s", "--json", "--", RunningKinecast.scene, "flash"
            )
            let started = try take.event("started")
            #expect(started.output == nil)
            try take.event("progress") { ($0.duration ?? 0) >= 4 }
            let event = try clip(place, "-o", "clip.mp4")
            take.signal(SIGINT)
            let ended = try take.wait()
            #expect(ended.status == 0, "\(ended)")
            #expect(ended.errors.contains("Captured ") && !ended.errors.contains("Broadcast"))
            #expect(event.askedDuration == nil && (event.duration ?? 0) >= 3.9)
            #expect(try RecordedVideo(path: place.path("clip.mp4")).frames.count == event.frames)
            let sound = try RecordedAudio(path: place.path("clip.mp4")).samples
            #expect(abs(Double(sound.count) / 48000 - (event.duration ?? 0)) < 0.5)
            let files = try Tool.output("ls", [place.path("")]).split(separator: "\n").filter { $0.hasSuffix(".mp4") }
            #expect(files == ["clip.mp4"])
        }
    }

    @Test func `a paused take gives what was there before the pause, again and again`() throws {
        try TestPlace.with { place in
            let take = try place.start("record", "--pattern", "320x240", "--clip-buffer", "5s", "--json")
            try take.event("progress") { ($0.duration ?? 0) >= 2 }
            #expect(try place.run("pause").status == 0)
            let one = try clip(place, "-t", "1", "-o", "one.mp4")
            let two = try clip(place, "-t", "1", "-o", "two.mp4")
            #expect(one.start == two.start && one.duration == two.duration && one.frames == two.frames)
            #expect(try PlayedFile(place.path("one.mp4")) == PlayedFile(place.path("two.mp4")))
            take.signal(SIGINT)
            #expect(try take.wait().status == 0)
        }
    }

    @Test func `what cannot be done is said in a sentence, with its exit status, and leaves no file`() throws {
        try TestPlace.with { place in
            #expect(try place.run("record", "--pattern", "320x240", "--clip-buffer", "31m").status == ExitStatus.usage)
            #expect(try place.run("clip", "-o", "a.mp4").status == ExitStatus.unavailable)
            let plain = try place.start("record", "a.mp4", "--pattern", "320x240", "--json")
            let id = try #require(try plain.event("started").id)
            let without = try place.run("clip", "-o", "c.mp4")
            #expect(without.status == ExitStatus.unavailable && without.errors.contains("--clip-buffer"))
            let take = try place.start("record", "--pattern", "320x240", "--clip-buffer", "5s", "--json")
            try take.event("progress") { ($0.duration ?? 0) >= 1 }
            // Two takes run, and one has a clip buffer.
            #expect(try place.run("clip", "-o", "c.mp4").status == 0)
            let before = try Tool.output("sha256sum", [place.path("c.mp4")])
            let exists = try place.run("clip", "-o", "c.mp4")
            #expect(exists.status == ExitStatus.cannotCreate && exists.errors.contains("--overwrite"))
            #expect(try Tool.output("sha256sum", [place.path("c.mp4")]) == before)
            #expect(try place.run("clip", "-o", "c.mp4", "--overwrite").status == 0)
            #expect(try Tool.output("sha256sum", [place.path("c.mp4")]) != before)
            #expect(try place.run("clip", "-o", "nowhere/c.mp4").status == ExitStatus.cannotCreate)
            #expect(try place.run("clip", id, "-o", "d.mp4").status == ExitStatus.unavailable)
            #expect(try place.run("clip", "-o", "").status == ExitStatus.usage)
            #expect(access(place.path("d.mp4"), F_OK) != 0)
            for take in [plain, take] {
                take.signal(SIGINT)
                #expect(try take.wait().status == 0)
            }
        }
    }

    private func configuration(output: String? = nil) -> TakeConfiguration {
        var configuration = TakeConfiguration(source: .pattern(PixelSize(width: 640, height: 360)), output: output)
        configuration.clipBuffer = .seconds(5)
        configuration.wantsProgress = true
        return configuration
    }

    private func clip(_ answer: Result<EngineReply, Refusal>) throws -> ExportedClip {
        guard case .clip(let clip) = try answer.get() else { throw CancellationError() }
        return clip
    }

    @Test func `a second clip at the same time is refused, and the first is written all the same`() throws {
        try TestPlace.with { place in
            let engine = try EngineUnderTest(configuration(), in: place)
            try engine.wait("a second") { message in
                if case .progress(let progress) = message, progress.duration >= .seconds(1) { true } else { nil }
            }
            // It finds both when it goes on.
            try StrangerProcess.stop(engine.process.pid)
            let requests = (2...4).map {
                ClientRequest.exportClip(ClipRequest(output: place.path("\($0).mp4"), duration: nil))
            }
            let (first, second) = (try engine.send(requests[0]), try engine.send(requests[1]))
            engine.process.signal(SIGCONT)
            let refusal = #expect(throws: Refusal.self) { try engine.answer(to: second).get() }
            #expect(refusal?.code == .exportInProgress)
            let clip = try clip(engine.answer(to: first))
            #expect(try RecordedVideo(path: clip.output).frames.count == clip.frames)
            // One that is under way when the take ends is finished first.
            let third = try engine.send(requests[2])
            #expect(try engine.stop().exitStatus == 0)
            let last = try self.clip(engine.answer(to: third))
            #expect(try RecordedVideo(path: last.output).frames.count == last.frames)
            #expect(access(place.path("3.mp4"), F_OK) != 0)
        }
    }

    @Test func `requests that make no sense are refused in words`() throws {
        try TestPlace.with { place in
            let engine = try EngineUnderTest(configuration(), in: place)
            try engine.wait("the start") { if case .started = $0 { true } else { nil } }
            let wrong: [(String, MediaTime?)] = [("a.mp4", nil), ("/\u{0}", nil), (place.path("a.mp4"), .zero)]
            for (output, duration) in wrong {
                let request = ClipRequest(output: output, duration: duration)
                let refusal = #expect(throws: Refusal.self) { try engine.ask(.exportClip(request)).get() }
                #expect(refusal?.code == .invalidRequest)
            }
            #expect(try engine.stop().exitStatus == 0)
        }
    }

    @Test func `an engine that is killed while it writes a clip leaves a whole file or none`() throws {
        try TestPlace.with { place in
            var random = SystemRandomNumberGenerator()
            for round in 0..<6 {
                let engine = try EngineUnderTest(configuration(), in: place)
                try engine.wait("a second") { message in
                    if case .progress(let progress) = message, progress.duration >= .seconds(1) { true } else { nil }
                }
                let path = place.path("\(round).mp4")
                try engine.connection.send(.exportClip(ClipRequest(output: path, duration: nil)))
                let delay = Int64.random(in: 0...400_000_000, using: &random)
                _ = WakeSignal.poll([], until: MonotonicClock.now() + delay)
                engine.process.signal(SIGKILL)
                _ = engine.process.end(deadline: .max)
                if access(path, F_OK) == 0 {
                    #expect(try !RecordedVideo(path: path).frames.isEmpty)
                    #expect(try TakeFile.finishedDuration(path) > 0.9)
                }
                let registry = try place.registry()
                for take in registry.list().dead { try registry.dismiss(take.id) }
            }
        }
    }
}
