// A clip buffer through six hours, or a day without audio, on the manual clock, beside a model that forgets nothing too early.
import CoreTesting
import KineMedia
import Testing

@testable import KineTake

@Suite(.tags(.slow)) struct ClipHoursTests {
    /// The samples of the last minutes, as they came.
    private struct Model {
        var frames: [EncodedSample] = []
        var audio: [EncodedSample] = []

        mutating func append(_ sample: EncodedSample, length: MediaTime) {
            if sample.type == .video { frames.append(sample) } else { audio.append(sample) }
            guard frames.count > 20_000 || audio.count > 40_000 else { return }
            let oldest = sample.presentationTime - length - length
            let kept = frames.lastIndex { $0.isKeyframe && $0.presentationTime <= oldest } ?? 0
            frames.removeSubrange(..<kept)
            audio.removeAll { $0.presentationTime < oldest - .seconds(10) }
        }
    }

    private static let limits = ClipLimits(length: .seconds(60), memory: 6 << 20, disk: 32 << 20)

    @Test(arguments: [true, false])
    func `through hours memory and disk stay bounded, and each clip begins when asked or at the keyframe before`(
        hasAudio: Bool
    ) throws {
        var random = SeededGenerator(for: "ClipHoursTests")
        var screen = SyntheticScreen(seed: random.next(), hasAudio: hasAudio)
        let file = MemoryScratch()
        var store = ClipStore(
            limits: Self.limits, audio: hasAudio ? [SyntheticScreen.audioFormat] : [],
            scratch: ClipScratch(file, limit: Self.limits.disk))
        var model = Model()
        var nextExport = MediaTime.seconds(1)
        var beginnings: [String: Int] = [:]
        var largest = (memory: 0, units: 0)
        // Audio has most of the samples. Frames alone fill the memory, so that the disk is used, only a few times a day.
        while screen.now < .seconds(hasAudio ? 21600 : 86400) {
            let sample = screen.next()
            store.append(sample)
            model.append(sample, length: Self.limits.length)
            largest.memory = max(largest.memory, store.memory)
            largest.units = max(largest.units, store.video.units.count + store.audio.reduce(0) { $0 + $1.units.count })
            guard screen.now >= nextExport else { continue }
            nextExport = screen.now + .milliseconds(Int64.random(in: 1...300_000, using: &random))
            let duration = MediaTime.milliseconds(Int64.random(in: 1...70_000, using: &random))
            let beginning = try check(store, model, end: screen.now, duration: duration)
            beginnings[beginning, default: 0] += 1
        }
        #expect(largest.memory <= Self.limits.memory)
        #expect(Int64(file.size) <= Self.limits.disk)
        #expect(file.size > 0, "nothing was on disk, so the hours showed nothing of it")
        // A minute at 33 frames and 47 access units a second, and a group of pictures more.
        #expect(largest.units < 64 * 81)
        #expect(!store.isShortened)
        for kind in ["asked", "keyframe", "standing", "all"] {
            #expect(beginnings[kind, default: 0] > 0, "\(beginnings)")
        }
    }

    /// Compares a clip with the model. Returns which of the four ways of beginning it has.
    private func check(_ store: ClipStore, _ model: Model, end: MediaTime, duration: MediaTime) throws -> String {
        let clip = try #require(ClipSelection(of: store, end: end, duration: duration))
        let frames = model.frames.filter { $0.presentationTime < end }
        let first = try #require(frames.first).presentationTime
        let asked = end - min(duration, Self.limits.length)
        let clamped = max(asked, first)
        let shown = try #require(frames.lastIndex { $0.presentationTime <= clamped })
        let key = try #require(frames[...shown].lastIndex { $0.isKeyframe })
        let isStanding = clamped - frames[key].presentationTime > ClipLimits.keyframeInterval
        let start = shown == key || isStanding ? clamped : frames[key].presentationTime

        // The moments after the beginning of the take, whose audio has not come, are checked elsewhere.
        #expect(clip.start == start || end < .seconds(2))
        #expect(clip.start <= clamped && clip.start >= clamped - ClipLimits.keyframeInterval || end < .seconds(2))
        #expect(clip.video.first?.isKeyframe == true && clip.video.first?.time == .zero)
        #expect(clip.video.count == frames.count - key)
        var contents = clip.videoContents
        for (sample, frame) in zip(clip.video, frames[key...]) {
            guard sample.isKeyframe == frame.isKeyframe,
                sample.time == max(.zero, frame.presentationTime - clip.start),
                try contents.read(at: sample.position, count: Int(sample.size)) == frame.data
            else {
                Issue.record("the frame at \(frame.presentationTime.seconds) s is another in the clip")
                break
            }
        }
        for audio in clip.audio { try check(audio, of: clip, model) }
        if asked < first || duration > Self.limits.length { return "all" }
        return shown == key ? "asked" : isStanding ? "standing" : "keyframe"
    }

    private func check(_ audio: ClipSelection.Audio, of clip: ClipSelection, _ model: Model) throws {
        // Its first sample is decoded by the second access unit, and belongs to the first frame.
        let place = clip.start.ticks(timescale: 48000)
        let heard = Int64(audio.format.primingSamples)
        #expect((1024..<2048).contains(heard))
        let first = try #require(
            model.audio.firstIndex { $0.presentationTime.ticks(timescale: 48000) == place - heard })
        let units = model.audio[first...].prefix { $0.presentationTime < clip.end }
        #expect(units.count == audio.samples.count)
        var contents = audio.contents
        for (sample, unit) in zip(audio.samples, units) {
            guard try contents.read(at: sample.position, count: Int(sample.size)) == unit.data else {
                Issue.record("the audio at \(unit.presentationTime.seconds) s is another in the clip")
                break
            }
        }
    }
}
