// Recordings cut at random times, judged by ffmpeg: each frame, each byte that was to be copied, and every sample of audio.
import CoreTesting
import Foundation
import KineCodecs
import KineContainers
import KineEditing
import KineMeasure
import KineMedia
import Testing

@Suite(.tags(.real, .long)) struct TrimTests {
    private let folder: TemporaryDirectory
    private var target: String { folder.file("cut.mp4") }

    init() throws { folder = try TemporaryDirectory() }

    /// 200 pairs of times in all.
    @Test(arguments: RecordingKind.allCases)
    func `the excerpt between two times is exact, and only the cut group is encoded again`(kind: RecordingKind) throws {
        let path = try Recordings.path(kind)
        let original = try DecodedFile(path, in: folder)
        try #require(original.packets.count { $0.isKeyframe } >= 3, "too few keyframes to cut between")
        var random = SeededGenerator(for: "trim \(kind)")
        var loudest = Float(0)
        for number in 0..<40 {
            let (from, to) = original.times(number, &random)
            let trim = try RecordingTrim(
                FinishedRecording(path), from: MediaTime(ticks: Int64(from), timescale: 90000),
                to: MediaTime(ticks: Int64(to), timescale: 90000))
            let result = try trim.write(to: target, ifTaken: .replace)
            let cut = try DecodedFile(target, in: folder)
            try compare(original, cut, from: from, to: to, encoded: result.encodedFrames)
            #expect(result.duration == MediaTime(ticks: Int64(to - from), timescale: 90000))
            #expect(result.frames == cut.packets.count)
            loudest = cut.audio.joined().reduce(loudest, max)
        }
        #expect(loudest > 0.1, "no beep was in any excerpt")
    }

    /// Decoders may take two keyframes with one identifier for one frame (ITU-T H.264, 7.4.1.2.4).
    @Test(arguments: [RecordingKind.pattern, .settings])
    func `a single encoded frame before a keyframe has another identifier`(kind: RecordingKind) throws {
        let recording = try FinishedRecording(try Recordings.path(kind))
        let index = recording.index
        let keyframes = (1..<index.frameCount).filter(index.isKeyframe)
        try #require(keyframes.count >= 2, "both identifiers occur")
        for keyframe in keyframes.prefix(4) {
            let trim = try RecordingTrim(recording, from: index.time(of: keyframe - 1), to: index.duration)
            #expect(try trim.write(to: target, ifTaken: .replace).encodedFrames == 1)
            let cut = try FinishedRecording(target).index
            let sets = try #require(cut.h264ParameterSets(ofFrame: 0))
            let file = try DiskFile.openToRead(target)
            let identifiers = try (0..<2).map {
                H264SliceHeader(accessUnit: try cut.accessUnit($0, in: file), sets)?.idrIdentifier
            }
            #expect(identifiers[0] != nil && identifiers[1] != nil && identifiers[0] != identifiers[1])
        }
    }

    private func compare(_ original: DecodedFile, _ cut: DecodedFile, from: Int, to: Int, encoded: Int) throws {
        let label = Comment(rawValue: "from \(from) to \(to)")
        let first = try original.number(at: from)
        let last = try original.number(at: to - 1)
        // A frame stays until the next one, also the first and the last.
        let expected = (first...last).map { number in
            let packet = original.packets[number]
            let start = max(packet.start, from)
            return (start: start - from, duration: min(packet.start + packet.duration, to) - start)
        }
        try #require(cut.packets.map(\.start) == expected.map(\.start), label)
        #expect(cut.packets.map(\.duration) == expected.map(\.duration), label)
        // From the first frame to the next keyframe, and no further.
        let group = original.packets[first...last].prefix { !$0.isKeyframe }.count
        #expect(encoded == group, label)
        #expect(cut.packets.dropFirst(group).map(\.hash) == original.packets[first...last].dropFirst(group).map(\.hash))
        #expect(cut.packets.first?.isKeyframe == true)
        for number in first...last {
            let ratio = cut.frame(number - first).ratio(to: original.frame(number))
            if number - first < group {
                #expect(ratio > 40, "\(label) frame \(number)")
            } else {
                #expect(ratio == 100, "\(label) frame \(number)")
            }
        }
        for (before, after) in zip(original.audio, cut.audio) { compareAudio(before, after, from, to, label) }
    }

    private func compareAudio(_ before: [Float], _ after: [Float], _ from: Int, _ to: Int, _ label: Comment) {
        let start = (from * 48000 + 45000) / 90000
        let end = min(before.count, (to * 48000 + 45000) / 90000)
        // A player may hear the whole of the last access unit.
        #expect(abs(after.count - (end - start)) <= 1200, "\(label): \(after.count) samples of \(end - start)")
        let shared = min(after.count, end - start)
        let error = (0..<shared).reduce(Float(0)) { max($0, abs(after[$1] - before[start + $1])) }
        #expect(error < 0.01, label)
    }
}

extension DecodedFile {
    /// Two times in ticks: the first pairs are at the edges of frames and of the file, the others anywhere.
    fileprivate func times(_ number: Int, _ random: inout SeededGenerator) -> (Int, Int) {
        let keyframes = packets.indices.filter { packets[$0].isKeyframe }
        switch number {
        case 0: return (0, end)
        case 1: return (packets[keyframes[1]].start, end)
        case 2: return (packets[keyframes[1]].start - 1, packets[keyframes[2]].start + 1)
        case 3: return (packets[keyframes[2] - 1].start, packets[keyframes[2]].start)
        case 4: return (end - 1, end)
        case 5: return (packets[5].start, packets[5].start + 1)
        default:
            let from = Int.random(in: 0..<end, using: &random)
            return (from, Int.random(in: from + 1...end, using: &random))
        }
    }
}
