// The clip buffer's store: what goes, what stays, and what happens when there is no room.
import CoreTesting
import KineContainers
import KineMeasure
import KineMedia
import Testing

@testable import KineTake

@Suite struct ClipStoreTests {
    private static let chunk = ClipLog.chunkSize

    private func frame(_ milliseconds: Int64, key: Bool = false, bytes: Int = 100) -> EncodedSample {
        EncodedSample(
            type: .video, presentationTime: .milliseconds(milliseconds), duration: .zero, isKeyframe: key,
            data: [UInt8](repeating: UInt8(truncatingIfNeeded: milliseconds), count: bytes))
    }

    private func store(
        seconds: Double, memory: Int = 4 << 20, audio: [AudioFormat] = [], _ scratch: ClipScratch? = nil
    ) -> ClipStore {
        ClipStore(
            limits: ClipLimits(length: .seconds(seconds), memory: memory), audio: audio,
            scratch: scratch ?? ClipScratch(MemoryScratch()))
    }

    private func times(_ clip: ClipSelection?) -> [Int64]? { clip?.video.map { $0.time.nanoseconds / 1_000_000 } }

    @Test func `frames go by groups of pictures, when none of the group can begin a clip any more`() {
        var store = store(seconds: 4)
        for second in 0..<10 { store.append(frame(Int64(second) * 1000, key: second % 2 == 0)) }
        // Nine seconds, of which the last four count: the group of the fourth second is whole.
        #expect(store.video.units.first?.time == .seconds(4))
        #expect(store.keyframes.count == 3)
    }

    @Test func `a clip begins when asked where a keyframe is shown then, or else at the keyframe before`() {
        var store = store(seconds: 10)
        for tenth in 0..<80 { store.append(frame(Int64(tenth) * 100, key: tenth % 20 == 0)) }
        let end = MediaTime.milliseconds(8000)
        let exact = ClipSelection(of: store, end: end, duration: .seconds(2))
        #expect(exact?.start == .seconds(6) && exact?.video.count == 20)
        // The keyframe at 6 s is still shown at 6.05 s.
        let shown = ClipSelection(of: store, end: end, duration: .milliseconds(1950))
        #expect(shown?.start == .milliseconds(6050) && times(shown)?.prefix(2) == [0, 50])
        let before = ClipSelection(of: store, end: end, duration: .milliseconds(1900))
        #expect(before?.start == .seconds(6) && before?.duration == .seconds(2))
        let everything = ClipSelection(of: store, end: end, duration: .seconds(100))
        #expect(everything?.start == .zero && everything?.video.count == 80)
        #expect(ClipSelection(of: store, end: end, duration: nil)?.start == .zero)
    }

    @Test func `a screen that has been still for hours gives a clip of the asked length`() {
        var store = store(seconds: 30)
        store.append(frame(0, key: true))
        let lone = ClipSelection(of: store, end: .seconds(36000), duration: .seconds(15))
        #expect(lone?.start == .seconds(35985) && lone?.duration == .seconds(15) && times(lone) == [0])
        // Two frames on the keyframe: they are only decoded, and what stands since then is shown from the beginning.
        store.append(frame(500))
        store.append(frame(1000))
        let moved = ClipSelection(of: store, end: .seconds(36000), duration: .seconds(15))
        #expect(moved?.start == .seconds(35985) && times(moved) == [0, 0, 0])
        // Something moves again.
        store.append(frame(36_000_000, key: true))
        let changed = ClipSelection(of: store, end: .seconds(36001), duration: .seconds(15))
        #expect(changed?.start == .seconds(35986) && times(changed) == [0, 0, 0, 14000])
    }

    @Test func `before the first frame there is no clip, and frames before a keyframe are ignored`() {
        var store = store(seconds: 5)
        #expect(ClipSelection(of: store, end: .seconds(1), duration: nil) == nil)
        store.append(frame(0))
        #expect(store.video.units.isEmpty)
        store.append(frame(100, key: true))
        store.append(frame(200))
        store.removeAll()
        store.append(frame(300))
        #expect(store.video.units.isEmpty && store.keyframes.isEmpty)
        store.append(frame(400, key: true))
        #expect(ClipSelection(of: store, end: .seconds(1), duration: nil)?.start == .milliseconds(400))
    }

    @Test func `audio begins with the clip to the sample, with an access unit before for the decoder`() {
        let format = SyntheticScreen.audioFormat
        var store = store(seconds: 5, audio: [format])
        for unit in -1..<400 {
            store.append(
                EncodedSample(
                    type: .audioApp, presentationTime: MediaTime(ticks: Int64(unit) * 1024, timescale: 48000),
                    duration: .zero, isKeyframe: true, data: [UInt8(truncatingIfNeeded: unit)]))
        }
        store.append(frame(5000, key: true))
        store.append(frame(8000, key: true))
        let clip = ClipSelection(of: store, end: .seconds(8), duration: .milliseconds(1234))
        let start = Int64(48000 * (8000 - 1234) / 1000)
        #expect(clip?.start == .milliseconds(8000 - 1234))
        #expect(clip?.audio.first?.format.primingSamples == Int(start % 1024) + 1024)
        #expect(clip?.audio.first?.samples.count == Int(48000 * 8 / 1024) - Int(start / 1024 - 1))
    }

    @Test func `audio that begins late makes the clip begin later, as it cannot have a gap`() {
        var store = store(seconds: 5, audio: [SyntheticScreen.audioFormat])
        for tenth in 0..<50 { store.append(frame(Int64(tenth) * 100, key: tenth % 10 == 0)) }
        for unit in 100..<240 {
            store.append(
                EncodedSample(
                    type: .audioApp, presentationTime: MediaTime(ticks: Int64(unit) * 1024, timescale: 48000),
                    duration: .zero, isKeyframe: true, data: [1]))
        }
        let clip = ClipSelection(of: store, end: .seconds(5), duration: nil)
        #expect(clip?.start == MediaTime(ticks: 101 * 1024, timescale: 48000))
        #expect(clip?.audio.first?.format.primingSamples == 1024)
        // A gap: only what follows it counts.
        store.append(
            EncodedSample(
                type: .audioApp, presentationTime: .milliseconds(5200), duration: .zero, isKeyframe: true, data: [1]))
        #expect(store.audio[0].units.count == 1)
    }

    @Test func `a clip stays readable while its samples leave the buffer, and its places are free afterwards`() throws {
        let file = MemoryScratch()
        var store = store(seconds: 10, memory: 4 * Self.chunk, ClipScratch(file, limit: Int64(64 * Self.chunk)))
        for second in 0..<40 { store.append(frame(Int64(second) * 1000, key: true, bytes: Self.chunk)) }
        let usual = file.size
        var clip = ClipSelection(of: store, end: .seconds(40), duration: nil)
        for second in 40..<60 { store.append(frame(Int64(second) * 1000, key: true, bytes: Self.chunk)) }
        #expect(file.size > usual, "the clip's places were used again")
        if var contents = clip?.videoContents {
            for (sample, second) in zip(clip?.video ?? [], 30...) {
                let data = try contents.read(at: sample.position, count: Int(sample.size))
                #expect(data == [UInt8](repeating: UInt8(truncatingIfNeeded: second * 1000), count: Self.chunk))
            }
        }
        clip = nil
        let grown = file.size
        for second in 60..<200 { store.append(frame(Int64(second) * 1000, key: true, bytes: Self.chunk)) }
        #expect(file.size == grown && !store.isShortened)
    }

    @Test(arguments: ["limit", "full", "broken", "none"])
    func `without room the buffer becomes shorter, and keeps what memory holds`(fault: String) throws {
        let file = MemoryScratch()
        if fault == "full" { file.freeBytes = ClipScratch.reserve - 1 }
        if fault == "broken" { file.failure = .failed(operation: "write to", path: "/scratch", code: 5) }
        let scratch =
            fault == "none"
            ? ClipScratch(directory: "/none", limit: 1 << 30) { () throws(StorageError) in
                throw .cannotCreate(path: "/none", code: 2)
            } : ClipScratch(file, limit: fault == "limit" ? Int64(4 * Self.chunk) : 1 << 30)
        var store = store(seconds: 100, memory: 8 * Self.chunk, scratch)
        for second in 0..<60 {
            store.append(frame(Int64(second) * 1000, key: true, bytes: Self.chunk))
            #expect(store.memory <= 8 * Self.chunk)
        }
        #expect(store.isShortened)
        #expect((scratch.problem == nil) == (fault == "limit"))
        #expect(file.size == (fault == "limit" ? 4 * Self.chunk : 0))
        let clip = try #require(ClipSelection(of: store, end: .seconds(60), duration: nil))
        #expect(clip.video.count >= (fault == "limit" ? 10 : 6))
        var contents = clip.videoContents
        for sample in clip.video { _ = try contents.read(at: sample.position, count: Int(sample.size)) }
        // The disk has room again: the buffer grows to its length.
        if fault == "full" {
            file.freeBytes = nil
            for second in 60..<200 { store.append(frame(Int64(second) * 1000, key: true, bytes: Self.chunk)) }
            #expect(store.video.units.count == 101)
        }
    }

    @Test func `a frame larger than all the room leaves the buffer empty, until the next keyframe`() {
        let scratch = ClipScratch(MemoryScratch(), limit: 0)
        var store = store(seconds: 5, memory: 4 * Self.chunk, scratch)
        store.append(frame(0, key: true, bytes: 8 * Self.chunk))
        #expect(store.video.units.isEmpty && store.isShortened)
        store.append(frame(100))
        #expect(store.video.units.isEmpty)
        store.append(frame(200, key: true))
        #expect(store.video.units.count == 1)
    }

    @Test func `what an export waits for is held, though the buffer goes on`() {
        var store = store(seconds: 2)
        store.append(frame(0, key: true))
        store.append(frame(1000, key: true))
        store.heldEnd = .seconds(2)
        for second in 2..<9 { store.append(frame(Int64(second) * 1000, key: true)) }
        #expect(ClipSelection(of: store, end: .seconds(2), duration: .seconds(2))?.start == .zero)
        store.heldEnd = nil
        store.append(frame(9000, key: true))
        #expect(store.video.units.first?.time == .seconds(7))
    }

    @Test func `a real scratch file has no name, and gives back what was stored`() throws {
        let folder = try TemporaryDirectory()
        let scratch = ClipScratch(directory: folder.path, limit: 1 << 30) { () throws(StorageError) in
            try ScratchFile(in: folder.path)
        }
        var store = store(seconds: 100, memory: 4 * Self.chunk, scratch)
        for second in 0..<20 { store.append(frame(Int64(second) * 1000, key: true, bytes: Self.chunk / 2 + 7)) }
        #expect(scratch.size > 0)
        #expect(try Tool.output("ls", ["-A", folder.path]) == "")
        let clip = try #require(ClipSelection(of: store, end: .seconds(20), duration: nil))
        var contents = clip.videoContents
        for (sample, second) in zip(clip.video, 0...) {
            let data = try contents.read(at: sample.position, count: Int(sample.size))
            #expect(data == frame(Int64(second) * 1000, bytes: Self.chunk / 2 + 7).data)
        }
    }
}
