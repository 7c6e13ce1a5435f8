// The index of a finished recording, read back from its file: the place, the length and the time of every sample.
import KineMedia

/// The tracks of a finished recording. Read from bytes that may be damaged: what the writer would not write is refused.
///
/// Memory: 21 bytes a sample.
public struct RecordingIndex: Sendable {
    let creationTime: UInt64
    /// Video first.
    let tracks: [IndexedTrack]

    public enum Error: Swift.Error, Equatable {
        case storage(StorageError)
        /// The recording has to be finished (`MP4Recovery`) first.
        case notFinished(path: String)
        /// The file was not written by Kinecast, or is damaged.
        case notARecording(path: String)
    }

    /// The largest index that is believed, in bytes.
    private static let largestIndex = 1 << 30

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
        // In pieces first, since a damaged index may be as large as is believed.
        guard try FinishedMovie(in: file, at: offset, isFirst: isFirst)?.isWhole == true else {
            throw Error.notARecording(path: file.path)
        }
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
        // A track without samples was left out when the file was finished: the ids have gaps.
        guard let first = tracks.first, first.description.isVideo, tracks.count <= MovieDescription.mostTracks,
            !tracks.dropFirst().contains(where: \.description.isVideo), SampleRun.areDisjoint(tracks)
        else { throw MalformedBox() }
        self.tracks = tracks
    }

    var video: IndexedTrack { tracks[0] }

    /// The time of the end, which may be that of an access unit of audio behind the last frame's.
    public var duration: MediaTime { RecordingLayout.duration(ticks: end) }
    /// The same in ticks of the movie.
    var end: UInt64 { tracks.map(\.shownTicks).max() ?? 0 }
    public var frameCount: Int { video.sizes.count }
    public var codec: VideoCodec { VideoCodec(sampleEntry: video.description.sampleEntry) ?? .h264 }

    /// The size to show, in pixels.
    public var size: PixelSize {
        if case .video(_, let size) = video.description.kind { size } else { PixelSize(width: 0, height: 0) }
    }

    /// Nil for another codec than H.264, or where the sample entry has not one of each.
    public var h264ParameterSets: H264ParameterSets? {
        codec == .h264 ? try? H264ParameterSets(sampleEntry: video.description.sampleEntry) : nil
    }

    /// The frame that is shown at `time`: it stays until the next one, and the last one until the recording's end. Nil for other times.
    public func frame(at time: MediaTime) -> Int? {
        guard time >= .zero, time <= duration else { return nil }
        return video.sample(atTick: UInt64(time.ticks(timescale: TrackDescription.videoTimescale)))
    }

    /// The time from which a frame is shown.
    public func time(of frame: Int) -> MediaTime { RecordingLayout.duration(ticks: video.starts[frame]) }

    public func isKeyframe(_ frame: Int) -> Bool { video.isSync[frame] }

    /// The frame from which decoding has to begin for `frame` to be shown.
    public func keyframe(notAfter frame: Int) -> Int {
        video.isSync[...frame].lastIndex(of: true) ?? 0
    }

    /// The first keyframe that is not before `frame`; nil where there is none up to `end`.
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

    /// The sample that lasts at that tick; the last one from `end` on.
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
    /// Reads the sets out of a sample entry, a whole `avc1` box. Throws where there is not one of each, or where the units'
    /// lengths have not four bytes.
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
    /// A NAL unit behind its length of two bytes.
    fileprivate mutating func networkUnit() throws(MalformedBox) -> [UInt8] {
        let length = Int(try integer(UInt16.self))
        let unit = rest().prefix(length)
        try skip(length)
        guard length > 0 else { throw MalformedBox() }
        return Array(unit)
    }
}
