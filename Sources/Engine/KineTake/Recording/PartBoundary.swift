// What continues from one part of a recording in the next: each track's access units of audio, and the chapter. Pure.
import KineMedia

/// Where one audio track continues in the next part. Access units are counted from the beginning of the take, and each
/// is in one part: programs that join files keep every access unit.
struct AudioCut: Sendable, Equatable {
    /// The next part's first access unit, the one of the part's first instant.
    let first: Int
    /// Samples a channel at its start that come before the part's first frame.
    let mediaStart: Int

    init(at time: MediaTime, _ format: AudioFormat) {
        let position = Int(time.ticks(timescale: Int32(clamping: format.sampleRate))) + format.primingSamples
        (first, mediaStart) = position.quotientAndRemainder(dividingBy: format.samplesPerAccessUnit)
    }
}

/// Divides the audio of a recording among its parts. Audio may come later than the frames of its time, and earlier.
struct PartAudio: Sendable {
    /// The tracks of the whole take.
    private let tracks: [AudioFormat]
    /// The newest access units of each track, which the next part may begin with.
    private var recent: [NumberedQueue<EncodedSample>]
    /// The number of each track's first access unit in the current part. Those before it are the previous part's.
    private var firstUnits: [Int]

    /// Samples a channel of a track to keep: ten seconds. While frames come even later than that, no part begins.
    private static let keptSamples = 1 << 19

    init(_ tracks: [AudioFormat]) {
        self.tracks = tracks
        recent = tracks.map { _ in NumberedQueue() }
        firstUnits = tracks.map { _ in 0 }
    }

    /// The number of the track that has samples of that type, if there is one.
    func track(of type: SampleType) -> Int? { tracks.firstIndex { $0.type == type } }

    /// Counts and keeps the track's next access unit. Returns whether it belongs to the current part; otherwise it
    /// belongs to the previous one.
    mutating func append(_ unit: EncodedSample, track: Int) -> Bool {
        let number = recent[track].endIndex
        recent[track].append(unit)
        recent[track].removeFirst(before: number - Self.keptSamples / tracks[track].samplesPerAccessUnit)
        return number >= firstUnits[track]
    }

    /// Whether all access units of the previous part have come.
    var isPreviousComplete: Bool { zip(recent, firstUnits).allSatisfy { $0.endIndex >= $1 } }

    /// The access units with which the audio tracks continue in a part that begins at `time` of the take; nil: the part would lack audio.
    func cuts(at time: MediaTime) -> [AudioCut]? {
        let cuts = tracks.map { AudioCut(at: time, $0) }
        return zip(recent, cuts).allSatisfy { $0.startIndex <= $1.first } ? cuts : nil
    }

    /// The tracks of a part that begins with these cuts.
    func formats(from cuts: [AudioCut]) -> [AudioFormat] {
        var formats = tracks
        for track in formats.indices { formats[track].primingSamples = cuts[track].mediaStart }
        return formats
    }

    /// Makes the part that begins with these cuts the current one. Returns its access units that have come already.
    mutating func beginPart(_ cuts: [AudioCut]) -> [EncodedSample] {
        firstUnits = cuts.map(\.first)
        var units: [EncodedSample] = []
        for (queue, first) in zip(recent, firstUnits) {
            for number in queue.indices where number >= first { units.append(queue[number]) }
        }
        return units
    }
}

/// Divides the chapters of a recording among its parts.
struct PartChapters: Sendable {
    /// Chapters that no part has yet, in order.
    private var waiting: [Chapter] = []
    /// The title of the newest chapter in a part; the chapter continues in the next part.
    private var title: String?

    mutating func append(_ chapter: Chapter) { waiting.append(chapter) }

    /// Removes the chapters that begin before `end`, and returns them for the current part. Without an end: all.
    mutating func removeFirst(before end: MediaTime?) -> ArraySlice<Chapter> {
        let end = end ?? MediaTime(nanoseconds: .max)
        let earlier = waiting.prefix { $0.start < end }
        title = earlier.last?.title ?? title
        waiting.removeFirst(earlier.count)
        return earlier
    }

    /// The chapter that continues in a part that begins at `time`; nil if there is none, or another begins there.
    func continued(at time: MediaTime) -> Chapter? {
        guard let title, waiting.first?.start != time else { return nil }
        return Chapter(start: time, title: title)
    }
}
