// Fragmented MP4 for a stream that is watched while it is made (ISO/IEC 14496-12, 8.8): an initialization segment, then
// a fragment for each sample, as Media Source takes them (W3C "ISO BMFF Byte Stream Format"). No state, no files.
import KineMedia

/// The tracks of a live stream, video and audio in one.
///
/// The initialization segment and every fragment are the same for all viewers, and a viewer can begin with any keyframe.
/// Times are the take's own. There is no edit list: an access unit of audio carries the time at which its first decoded
/// sample is heard, the encoder's priming counted, so samples before time zero are left out.
public struct FragmentedMovie: Sendable {
    private let movie: MovieDescription
    private let types: [SampleType]
    private let brands: [FourCharacterCode]
    private let videoCodecs: String

    /// The duration that each frame is given, since it is sent before the next one is known. It is longer than any gap between
    /// two frames, so that a still screen never stalls a browser; the next frame ends it. Media Source waits for a keyframe
    /// after a jump of more than twice this (W3C Media Source Extensions, 3.5.8, step 6).
    public static let frameDuration = MediaTime.milliseconds(4000)

    /// - Parameters:
    ///   - video: nil for a stream without video.
    ///   - audio: the audio tracks, each of another `type`. Players that know only one take the first.
    public init(video: VideoFormat?, audio: [AudioTrackFormat]) {
        var movie = MovieDescription(creationTime: 0, video: video, audio: audio)
        for index in movie.tracks.indices { movie.tracks[index].mediaStart = 0 }
        self.movie = movie
        types = (video == nil ? [] : [.video]) + audio.map(\.type)
        videoCodecs = video?.parameterSets.codecsParameter ?? ""
        brands = ["iso5", "iso6", "mp41"] + (video?.codec == .av1 ? ["av01"] : [])
    }

    /// `ftyp` and `moov`. It names no duration, which tells players that the stream is live.
    public var initializationSegment: [UInt8] {
        var writer = BoxWriter()
        writer.fileType("iso5", compatible: brands)  // the brand that knows default-base-is-moof
        return writer.bytes + MovieBox.initial(movie)
    }

    /// The `codecs` parameter of the stream's media type (RFC 6381, 3.3).
    public var codecs: String {
        types.map { $0 == .video ? videoCodecs : Self.audioCodec }.joined(separator: ",")
    }

    /// AAC-LC.
    public static let audioCodec = "mp4a.40.2"

    /// Everything of a fragment but the sample's own bytes, which follow it: `moof`, and the header of `mdat`.
    /// Nil for a sample of no track, and for one that begins before time zero.
    /// - Parameters:
    ///   - byteCount: of the sample.
    ///   - sequenceNumber: grows from fragment to fragment.
    public func fragmentHeader(
        type: SampleType, presentationTime: MediaTime, isKeyframe: Bool, byteCount: Int, sequenceNumber: UInt32
    ) -> [UInt8]? {
        guard presentationTime >= .zero, let index = types.firstIndex(of: type) else { return nil }
        let track = movie.tracks[index]
        let scale = Int32(clamping: track.timescale)
        let size = MovieFragment.emptySize + MovieFragment.runSize(isVideo: track.isVideo, sampleCount: 1) + 8
        var writer = BoxWriter()
        writer.reserveCapacity(size)
        writer.movieFragment(sequenceNumber: sequenceNumber) {
            let start = UInt64(presentationTime.ticks(timescale: scale))
            $0.trackRun(of: track, start: start, sampleCount: 1, dataOffset: size) {
                if track.isVideo {
                    $0.runFrame(
                        duration: UInt32(clamping: Self.frameDuration.ticks(timescale: scale)),
                        size: UInt32(clamping: byteCount), isSync: isKeyframe)
                } else {
                    $0.runAudio(size: UInt32(clamping: byteCount))
                }
            }
        }
        writer.integer(UInt32(clamping: 8 + byteCount))
        writer.code("mdat")
        return writer.bytes
    }
}
