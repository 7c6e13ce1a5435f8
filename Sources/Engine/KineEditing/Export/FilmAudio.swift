// The audio of a film: copied if the film shows all of the recording at its speed, else decoded, joined and encoded again.
import KineCodecs
import KineContainers
import KineMedia

/// Writes one track, a part at a time.
protocol FilmAudio {
    /// The format of the film's track.
    var format: AudioFormat { get }

    /// Hands on the access units up to a time of the film that were not handed on before.
    mutating func write(
        until time: MediaTime, _ append: (EncodedSample) throws(EditingError) -> Void
    ) throws(EditingError)
}

struct CopiedAudio: FilmAudio {
    let format: AudioFormat
    private let recording: FinishedRecording
    private let track: Int
    private var next = 0

    init(_ track: Int, of recording: FinishedRecording, _ format: AudioFormat) {
        (self.track, self.recording, self.format) = (track, recording, format)
    }

    mutating func write(
        until time: MediaTime, _ append: (EncodedSample) throws(EditingError) -> Void
    ) throws(EditingError) {
        let count = recording.index.audioUnitCount(ofTrack: track)
        while next < count {
            let start = format.time(ofSample: Int64(next * format.samplesPerAccessUnit - format.primingSamples))
            guard start < time else { return }
            let unit = try recording.audioUnit(next, ofTrack: track)
            next += 1
            try append(
                EncodedSample(
                    type: format.type, presentationTime: start, duration: .zero, isKeyframe: true, data: unit))
        }
    }
}

/// Audio with cuts.
struct JoinedAudio: FilmAudio {
    private let encoder: AudioTrackEncoder
    private var reader: AudioReader
    private let timeline: FilmTimeline
    /// The next sample of the film.
    private var position = 0
    private var part = 0
    private var isFinished = false

    var format: AudioFormat { encoder.format }

    /// Half of a cross-fade, in seconds.
    private static let fade = 0.0025
    /// Bits a second of a recording's audio, for each channel: a second loss should add little to the first.
    private static let bitrate = 96_000

    init(
        _ track: Int, of recording: FinishedRecording, _ format: AudioFormat, _ timeline: FilmTimeline
    ) throws(EditingError) {
        let encoder = try EditingError.wrapping(EditingError.audioEncoder) { () throws(AudioEncoderError) in
            try AACEncoder(
                for: format.type, sampleRate: format.sampleRate, channels: format.channels,
                bitrate: max(format.bitrate, Self.bitrate * format.channels))
        }
        self.encoder = AudioTrackEncoder(encoder: encoder)
        reader = try AudioReader(track, of: recording, format)
        self.timeline = timeline
    }

    mutating func write(
        until time: MediaTime, _ append: (EncodedSample) throws(EditingError) -> Void
    ) throws(EditingError) {
        let length = format.samplesPerAccessUnit
        let end = sample(timeline.duration)
        while !isFinished, position < min(end, sample(time)) {
            let frame = try mixed(position..<position + length)
            position += length
            try pass(append) { (deliver) throws(AudioEncoderError) in
                try encoder.encode(interleaved: frame.span, deliver: deliver)
            }
        }
        guard !isFinished, position >= end else { return }
        isFinished = true
        try pass(append) { (deliver) throws(AudioEncoderError) in try encoder.finish(deliver: deliver) }
    }

    private func pass(
        _ append: (EncodedSample) throws(EditingError) -> Void,
        _ encode: ((EncodedSample) -> Void) throws(AudioEncoderError) -> Void
    ) throws(EditingError) {
        var units: [EncodedSample] = []
        try EditingError.wrapping(EditingError.audioEncoder) { () throws(AudioEncoderError) in
            try encode { units.append($0) }
        }
        for unit in units { try append(unit) }
    }

    private func sample(_ time: MediaTime) -> Int { Int(time.ticks(timescale: Int32(clamping: format.sampleRate))) }

    /// The samples of the film in a range.
    private mutating func mixed(_ range: Range<Int>) throws(EditingError) -> [Float] {
        let channels = format.channels
        let half = Int(Self.fade * Double(format.sampleRate))
        var samples = [Float](repeating: 0, count: range.count * channels)
        while part + 1 < timeline.parts.count, sample(timeline.parts[part].film.upperBound) + half <= range.lowerBound {
            part += 1
        }
        for index in timeline.parts.indices[part...] {
            let (source, film) = (timeline.parts[index].source, timeline.parts[index].film)
            let (start, end) = (sample(film.lowerBound), sample(film.upperBound))
            // Both sides of a joint are heard around it.
            let (before, after) = (index > 0 ? half : 0, index + 1 < timeline.parts.count ? half : 0)
            let common = (start - before..<end + after).clamped(to: range)
            if start - before >= range.upperBound { break }
            guard !common.isEmpty, timeline.parts[index].speed == 1 else { continue }
            let first = sample(source.lowerBound) + common.lowerBound - start
            let own = try reader.samples(first..<first + common.count)
            for offset in 0..<common.count {
                let place = common.lowerBound + offset
                var weight: Float = 1
                if before > 0 { weight *= Self.rise(place - start, half) }
                if after > 0 { weight *= 1 - Self.rise(place - end, half) }
                for channel in 0..<channels {
                    samples[(place - range.lowerBound) * channels + channel] +=
                        weight * own[offset * channels + channel]
                }
            }
        }
        for index in samples.indices { samples[index] = max(-1, min(1, samples[index])) }
        return samples
    }

    /// From 0 to 1 around a joint.
    private static func rise(_ distance: Int, _ half: Int) -> Float {
        max(0, min(1, (Float(distance) + Float(half) + 0.5) / Float(2 * half)))
    }
}

/// The samples of a track, read mostly forward.
struct AudioReader {
    private let decoder: AACDecoder
    private let recording: FinishedRecording
    private let track: Int
    private let format: AudioFormat
    private let unitCount: Int
    /// Samples that are decoded, and the number of the first in the track.
    private var kept: [Float] = []
    private var first = 0
    private var nextUnit = 0

    init(_ track: Int, of recording: FinishedRecording, _ format: AudioFormat) throws(EditingError) {
        (self.track, self.recording, self.format) = (track, recording, format)
        unitCount = recording.index.audioUnitCount(ofTrack: track)
        decoder = try EditingError.wrapping(EditingError.audio) { () throws(AACDecoder.Error) in
            try AACDecoder(audioSpecificConfig: format.configuration)
        }
    }

    /// - Parameter range: samples since the recording's beginning; silence where it has none.
    mutating func samples(_ range: Range<Int>) throws(EditingError) -> [Float] {
        let (channels, length) = (format.channels, format.samplesPerAccessUnit)
        // The encoder's priming comes first in the track.
        let wanted = range.lowerBound + format.primingSamples..<range.upperBound + format.primingSamples
        if wanted.lowerBound < first || wanted.lowerBound >= nextUnit * length + 4 * length { seek(wanted.lowerBound) }
        while nextUnit * length < wanted.upperBound, nextUnit < unitCount {
            decoder.decode(
                try recording.audioUnit(nextUnit, ofTrack: track), count: length, channels: channels,
                appendingTo: &kept)
            nextUnit += 1
        }
        // A joint reads a little of what was read before it.
        let old = min(wanted.lowerBound - 2 * length - first, kept.count / channels)
        if old > 16 * length {
            kept.removeFirst(old * channels)
            first += old
        }
        var samples = [Float](repeating: 0, count: range.count * channels)
        let common = (first..<first + kept.count / channels).clamped(to: wanted)
        for index in 0..<common.count * channels {
            samples[(common.lowerBound - wanted.lowerBound) * channels + index] =
                kept[(common.lowerBound - first) * channels + index]
        }
        return samples
    }

    /// The unit before the first one prepares the decoder.
    private mutating func seek(_ sample: Int) {
        let unit = max(0, min(unitCount, sample / format.samplesPerAccessUnit))
        decoder.reset()
        kept = []
        nextUnit = max(0, unit - 1)
        first = nextUnit * format.samplesPerAccessUnit
    }
}
