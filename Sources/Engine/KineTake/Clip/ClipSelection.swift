// Selects the samples of one clip from the buffer, and gives them their times in the clip.
import FoundationEssentials
import KineContainers
import KineInput
import KineMedia

/// A clip that is ready to be written, while its buffer goes on.
struct ClipSelection: Sendable {
    /// Its time is since the beginning of the clip.
    typealias Sample = ClipStore.Unit

    struct Audio: Sendable {
        /// Its priming lasts until the clip's beginning: players skip the audio before.
        var format: AudioFormat
        var samples: [Sample]
        var contents: ClipLog.Contents
    }

    /// The clip's beginning and end, as times of the take.
    let start: MediaTime
    let end: MediaTime
    let video: [Sample]
    /// The formats of the video, by the index of the keyframe from which on each holds.
    let formats: [Int: VideoFormat]
    let videoContents: ClipLog.Contents
    let audio: [Audio]

    /// Selects the last `duration` before `end`, or everything. Nil if there is no frame.
    ///
    /// If the frame shown at the requested time is a keyframe, the clip begins at that time; otherwise at the keyframe
    /// before. If that keyframe is too far back, the clip still begins at the requested time, and the frames needed for
    /// decoding are all at its first instant.
    init?(of store: ClipStore, end: MediaTime, duration: MediaTime?) {
        let length = min(duration ?? store.limits.length, store.limits.length)
        let frames = store.video.units
        guard let oldest = frames.first, oldest.time < end else { return nil }
        let audioStart = store.audio.indices.compactMap { store.audioStart($0) }.filter { $0 < end }.max()
        let asked = max(end - length, oldest.time, audioStart ?? oldest.time)
        // A keyframe is always found: the oldest frame is one, and is not later than `asked`.
        let key =
            store.keyframes.lastIndex { frames[$0.number].time <= asked }.map { store.keyframes[$0].number }
            ?? frames.startIndex
        let shown = frames.lastIndex { $0.time <= asked } ?? key
        let isKeyframeNear =
            asked - frames[key].time <= ClipLimits.keyframeInterval && frames[key].time >= audioStart ?? oldest.time
        start = shown == key || !isKeyframeNear ? asked : frames[key].time
        self.end = end
        let start = start
        video = Self.samples(of: frames, from: key, start: start, end: end)
        var (formats, last) = ([Int: VideoFormat](), VideoFormat?.none)
        for keyframe in store.keyframes.indices.map({ store.keyframes[$0] }) where keyframe.number >= key {
            if let format = keyframe.format, format != last { formats[keyframe.number - key] = format }
            last = keyframe.format ?? last
        }
        self.formats = formats
        videoContents = store.video.log.contents(from: frames[key].position)
        audio = store.audio.indices.compactMap { Self.audio($0, of: store, start: start, end: end) }
    }

    var duration: MediaTime { end - start }

    private static func audio(_ index: Int, of store: ClipStore, start: MediaTime, end: MediaTime) -> Audio? {
        var format = store.formats[index]
        let units = store.audio[index].units
        // The access unit that is heard at the start, and the one before, without which it cannot be decoded.
        guard let heard = units.lastIndex(where: { $0.time <= start }), heard > units.startIndex,
            units[heard].time + store.duration(ofUnit: format) > start
        else { return nil }
        let rate = Int32(clamping: format.sampleRate)
        format.primingSamples = Int(start.ticks(timescale: rate) - units[heard - 1].time.ticks(timescale: rate))
        return Audio(
            format: format, samples: samples(of: units, from: heard - 1, start: start, end: end),
            contents: store.audio[index].log.contents(from: units[heard - 1].position))
    }

    private static func samples(
        of units: NumberedQueue<Sample>, from first: Int, start: MediaTime, end: MediaTime
    ) -> [Sample] {
        (first..<units.endIndex).prefix { units[$0].time < end }.map { index in
            var sample = units[index]
            sample.time = max(sample.time - start, .zero)
            return sample
        }
    }
}

// Writes the samples of a clip to a file, as the recording's thread writes those of a take.
enum ClipWriter {
    /// The clip's time in one fragment, which also limits the samples in memory at once.
    private static let step = MediaTime.milliseconds(500)

    /// Blocks for as long as the disk needs. Throws also where only a part could be written.
    ///
    /// - Parameters:
    ///   - input: the samples of the input track, if the clip has one.
    ///   - video: the format, where the clip's first keyframe has none.
    ///   - file: a new file, which is empty.
    static func write(
        _ clip: ClipSelection, input: [InputRecorder.Sample] = [], video: VideoFormat, to file: any StorageFile
    ) throws(StorageError) -> FinishedFile {
        let writer = try MP4Writer(
            file: file, video: clip.formats[0] ?? video, audio: clip.audio.map(\.format),
            hasInput: !input.isEmpty, creationTime: Int64(Date().timeIntervalSince1970))
        var tracks =
            [Track(type: .video, samples: clip.video, contents: clip.videoContents, formats: clip.formats)]
            + clip.audio.map { Track(type: $0.format.type, samples: $0.samples, contents: $0.contents) }
        let end = clip.duration
        var time = MediaTime.zero
        var input = input[...]
        while time < end {
            time = min(end, time + step)
            for index in tracks.indices {
                try tracks[index].append(before: time, to: writer)
            }
            while let sample = input.first, sample.start < time {
                writer.append(input: sample.text, at: sample.start)
                input.removeFirst()
            }
            try writer.flush(through: time)
        }
        let finished = try writer.finish(at: end)
        if let failure = finished.failure { throw failure }
        return finished
    }

    private struct Track {
        let type: SampleType
        let samples: [ClipSelection.Sample]
        var contents: ClipLog.Contents
        var formats: [Int: VideoFormat] = [:]
        var next = 0

        mutating func append(before time: MediaTime, to writer: MP4Writer) throws(StorageError) {
            while next < samples.count, samples[next].time < time {
                let sample = samples[next]
                if next > 0, let format = formats[next] { try writer.change(to: format, at: sample.time) }
                next += 1
                writer.append(
                    EncodedSample(
                        type: type, presentationTime: sample.time, duration: .zero, isKeyframe: sample.isKeyframe,
                        data: try contents.read(at: sample.position, count: Int(sample.size))))
            }
        }
    }
}
