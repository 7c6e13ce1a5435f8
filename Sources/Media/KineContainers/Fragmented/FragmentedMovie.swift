// Fragmented MP4 for a live stream (ISO/IEC 14496-12, 8.8): an initialization segment, then a fragment for each sample,
// as in W3C "ISO BMFF Byte Stream Format". No state, no files.
import KineMedia

/// The tracks of a live stream, video and audio in one.
///
/// All viewers get the same initialization segment and fragments, and can begin at any keyframe. Times are the take's.
/// There is no edit list: an access unit of audio has the time of its first decoded sample, including the encoder's
/// priming, so samples before time zero are left out.
public struct FragmentedMovie: Sendable {
    private let movie: MovieDescription
    private let types: [SampleType]
    private let brands: [FourCharacterCode]
    private let videoCodecs: String

    /// The duration of a frame that is sent before the next one is known, which ends it. It is longer than any gap between
    /// frames, so that a browser never stalls on a still screen. Media Source waits for a keyframe after a jump of more
    /// than twice this (W3C Media Source Extensions, 3.5.8, step 6).
    public static let frameDuration = MediaTime.milliseconds(4000)

    /// - Parameters:
    ///   - video: nil for a stream without video.
    ///   - audio: the audio tracks, each of another `type`. Players that support only one track use the first.
    public init(video: VideoFormat?, audio: [AudioFormat]) {
        var movie = MovieDescription(creationTime: 0, video: video, audio: audio)
        for index in movie.tracks.indices { movie.tracks[index].mediaStart = 0 }
        self.movie = movie
        types = (video == nil ? [] : [.video]) + audio.map(\.type)
        videoCodecs = video?.parameterSets.codecsParameter ?? ""
        brands = ["iso5", "iso6", "mp41"] + (video?.codec == .av1 ? ["av01"] : [])
    }

    /// `ftyp` and `moov`, without a duration: players then know that the stream is live.
    public var initializationSegment: [UInt8] {
        var writer = BoxWriter()
        writer.fileType("iso5", compatible: brands)  // the brand with default-base-is-moof
        return writer.bytes + MovieBox.initial(movie)
    }

    /// The `codecs` parameter of the stream's media type (RFC 6381, 3.3).
    public var codecs: String {
        types.map { $0 == .video ? videoCodecs : Self.audioCodec }.joined(separator: ",")
    }

    /// AAC-LC.
    public static let audioCodec = "mp4a.40.2"

    /// The fragment before the sample's own bytes: `moof`, and the header of `mdat`. Nil for a sample of no track, and
    /// for one that begins before time zero.
    /// - Parameters:
    ///   - byteCount: of the sample.
    ///   - sequenceNumber: grows from fragment to fragment.
    ///   - nextTime: when the track's next frame begins, which ends this one; nil if that is not known yet: the frame then
    ///     lasts `frameDuration`. An access unit of audio lasts as long as its samples in any case.
    public func fragmentHeader(
        type: SampleType, presentationTime: MediaTime, isKeyframe: Bool, byteCount: Int, sequenceNumber: UInt32,
        nextTime: MediaTime? = nil
    ) -> [UInt8]? {
        guard presentationTime >= .zero, let index = types.firstIndex(of: type) else { return nil }
        let track = movie.tracks[index]
        let scale = Int32(clamping: track.timescale)
        let size = MovieFragment.emptySize + MovieFragment.runSize(of: track, sampleCount: 1) + 8
        // From tick to tick, so that a frame ends where the next one begins.
        let start = presentationTime.ticks(timescale: scale)
        let duration =
            nextTime.map { max($0.ticks(timescale: scale) - start, 1) } ?? Self.frameDuration.ticks(timescale: scale)
        var writer = BoxWriter()
        writer.reserveCapacity(size)
        writer.movieFragment(sequenceNumber: sequenceNumber) {
            $0.trackRun(of: track, start: UInt64(start), sampleCount: 1, dataOffset: size) {
                $0.runSample(
                    of: track, duration: UInt32(clamping: duration), size: UInt32(clamping: byteCount),
                    isSync: isKeyframe)
            }
        }
        writer.integer(UInt32(clamping: 8 + byteCount))
        writer.code("mdat")
        return writer.bytes
    }
}
