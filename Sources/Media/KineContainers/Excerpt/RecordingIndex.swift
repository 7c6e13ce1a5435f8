// The index of a finished recording, read from its file: the place, the length and the time of every sample.
import KineMedia

/// The tracks of a finished recording. The bytes may be damaged: content that the writer does not write is refused.
///
/// Memory: 21 bytes a sample.
public struct RecordingIndex: Sendable {
    let creationTime: UInt64
    /// Video first, input last if there is any.
    let tracks: [IndexedTrack]
    /// The first one begins with the recording. Empty if the list is damaged, since the rest can still be used.
    public let chapters: [Chapter]

    public typealias Error = MP4FastStart.Error

    /// The largest accepted index, in bytes.
    private static let largestIndex = 1 << 30
    /// The most samples of all tracks together: a day of 60 frames a second with two tracks of audio has 13 million.
    static let mostSamples = 16_000_000

    /// Reads little more than the index of `file`.
    public init(reading file: any StorageFile) throws(Error) {
        let content: [UInt8]
        let size: Int64
        do {
            size = try file.size()
            content = try Self.content(file)
        } catch let error as StorageError {
            throw .storage(error)
        } catch {
            throw error as? Error ?? .notARecording(path: file.path)
        }
        do {
            try self.init(BoxReader(content), fileSize: size)
        } catch {
            throw .notARecording(path: file.path)
        }
    }

    private static func content(_ file: any StorageFile) throws -> [UInt8] {
        let (offset, isFirst): (Int64, Bool)
        switch try RecordingState(of: file) {
        case .recording: throw Error.notFinished(path: file.path)
        case .empty: throw try file.size() == 0 ? Error.notARecording(path: file.path) : .notFinished(path: file.path)
        case .foreign: throw Error.notARecording(path: file.path)
        case .finished(let index): (offset, isFirst) = (index, false)
        case .indexFirst: (offset, isFirst) = (RecordingLayout.switchOffset, true)
        }
        guard let place = try file.contentRange(of: "moov", at: offset, atMost: largestIndex) else {
            throw Error.notFinished(path: file.path)
        }
        // Checked in pieces first, because a damaged index may be as large as the limit.
        guard let movie = try FinishedMovie(in: file, at: offset, isFirst: isFirst), movie.isWhole else {
            throw Error.notARecording(path: file.path)
        }
        guard movie.samples <= mostSamples else { throw Error.tooLong(path: file.path) }
        return try file.read(at: place.lowerBound, count: place.count)
    }

    init(_ movie: BoxReader, fileSize: Int64) throws(MalformedBox) {
        var header = try movie.box("mvhd")
        let wide = try header.versionAndFlags().version == 1
        creationTime = try header.integer(wide: wide)
        try header.skip(wide ? 8 : 4)
        guard try header.integer(UInt32.self) == MovieDescription.timescale, try movie.first("mvex") == nil else {
            throw MalformedBox()
        }
        var tracks: [IndexedTrack] = []
        for track in try movie.all("trak") {
            tracks.append(try IndexedTrack(reading: track, fileSize: fileSize))
        }
        // Tracks without samples were removed when the file was finished: the ids have gaps.
        guard TrackDescription.areInOrder(tracks.map(\.description)), SampleRun.areDisjoint(tracks) else {
            throw MalformedBox()
        }
        self.tracks = tracks
        chapters = (try? Chapter.all(in: movie)) ?? []
    }

    var video: IndexedTrack { tracks[0] }
    /// The index of the input track; nil: there is none.
    var input: Int? { tracks.last?.description.kind == .input ? tracks.count - 1 : nil }

    /// The time of the end. An access unit of audio may end after the last frame.
    public var duration: MediaTime { RecordingLayout.duration(ticks: end) }
    /// The time of the last frame's end.
    public var videoDuration: MediaTime { RecordingLayout.duration(ticks: video.shownTicks) }
    /// `duration` in ticks of the movie.
    var end: UInt64 { tracks.map(\.shownTicks).max() ?? 0 }
    public var frameCount: Int { video.sizes.count }
    public var codec: VideoCodec { VideoCodec(sampleEntry: video.description.sampleEntries[0]) ?? .h264 }

    /// The size to show, in pixels: the largest of all frames.
    public var size: PixelSize {
        if case .video(_, let size) = video.description.kind { size } else { PixelSize(width: 0, height: 0) }
    }

    /// The size that a frame shows, in pixels. It changes at keyframes only.
    public func size(ofFrame frame: Int) -> PixelSize { SampleEntry.size(of: video.sampleEntry(of: frame)) ?? size }

    /// Nil for another codec than H.264, or if the frame's sample entry does not have one of each.
    public func h264ParameterSets(ofFrame frame: Int) -> H264ParameterSets? {
        codec == .h264 ? try? H264ParameterSets(sampleEntry: video.sampleEntry(of: frame)) : nil
    }

    /// The frame shown at `time`: each stays until the next, or the recording's end. Nil outside the recording.
    public func frame(at time: MediaTime) -> Int? {
        guard time >= .zero, time <= duration else { return nil }
        return video.sample(atTick: UInt64(time.ticks(timescale: TrackDescription.videoTimescale)))
    }

    /// The time at which a frame appears.
    public func time(of frame: Int) -> MediaTime { RecordingLayout.duration(ticks: video.starts[frame]) }

    public func isKeyframe(_ frame: Int) -> Bool { video.isSync[frame] }

    /// The frame at which decoding must begin to show `frame`.
    public func keyframe(notAfter frame: Int) -> Int {
        video.isSync[...frame].lastIndex(of: true) ?? 0
    }

    /// The next keyframe; nil: there is none.
    public func keyframe(after frame: Int) -> Int? { keyframe(notBefore: frame + 1, before: frameCount) }

    func keyframe(notBefore frame: Int, before end: Int) -> Int? {
        video.isSync[frame..<end].firstIndex(of: true)
    }

    /// The access unit of a frame.
    public func accessUnit(_ frame: Int, in file: any StorageFile) throws(StorageError) -> [UInt8] {
        try file.read(at: video.offsets[frame], count: Int(video.sizes[frame]))
    }
}

/// One track of a finished recording, with at least one sample.
struct IndexedTrack: Sendable {
    var description: TrackDescription
    let sizes: [UInt32]
    /// The place of each sample in the file.
    let offsets: [Int64]
    /// The tick at which each sample starts.
    let starts: [UInt64]
    /// The tick at which the last sample ends.
    let end: UInt64
    let isSync: [Bool]
    /// Ticks of the movie for which the track is shown.
    let shownTicks: UInt64
    /// The runs of samples with the same sample entry, in order, at least one.
    let entryRuns: [EntryRun]

    struct EntryRun: Sendable {
        /// The run's first sample.
        var first: Int
        /// The index of its sample entry.
        var entry: Int
    }

    /// More runs are damage.
    static let mostEntryRuns = 1 << 16

    /// The index of a sample's entry.
    func entry(of sample: Int) -> Int {
        var (low, high) = (0, entryRuns.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if entryRuns[middle].first <= sample { low = middle } else { high = middle }
        }
        return entryRuns[low].entry
    }

    func sampleEntry(of sample: Int) -> [UInt8] { description.sampleEntries[entry(of: sample)] }

    /// The sample at that tick; the last one after `end`.
    func sample(atTick tick: UInt64) -> Int {
        var (low, high) = (0, starts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= tick { low = middle } else { high = middle }
        }
        return low
    }
}

extension H264ParameterSets {
    /// Reads the sets from a sample entry, a whole `avc1` box. Throws if it does not have one of each, or if lengths of
    /// units do not have four bytes.
    init(sampleEntry: [UInt8]) throws(MalformedBox) {
        var entry = BoxReader(sampleEntry)
        try entry.skip(8 + 78)  // the header, and the fields of every VisualSampleEntry (ISO/IEC 14496-12, 12.1.3)
        var record = try entry.box("avcC")
        try record.skip(4)
        guard try record.integer(UInt8.self) & 3 == 3, try record.integer(UInt8.self) & 31 == 1 else {
            throw MalformedBox()
        }
        let sequence = try record.networkUnit()
        guard try record.integer(UInt8.self) == 1 else { throw MalformedBox() }
        self.init(sequence: sequence, picture: try record.networkUnit())
    }
}

extension BoxReader {
    /// A NAL unit with a two-byte length before it.
    fileprivate mutating func networkUnit() throws(MalformedBox) -> [UInt8] {
        let length = Int(try integer(UInt16.self))
        let unit = rest().prefix(length)
        try skip(length)
        guard length > 0 else { throw MalformedBox() }
        return Array(unit)
    }
}
