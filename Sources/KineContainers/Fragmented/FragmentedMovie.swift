// Fragmented MP4 for a stream that is watched while it is made (ISO/IEC 14496-12, 8.8): an initialization segment, then
// a fragment for each sample, as Media Source takes them (W3C "ISO BMFF Byte Stream Format"). No state, no files.
import KineMedia

/// The tracks of a live stream, pictures and sounds in one.
///
/// Nothing in it belongs to one viewer: the initialization segment and every fragment are the same for all, and a viewer
/// may begin with any keyframe. Times are the take's own. There is no edit list: an access unit of sound carries the time
/// at which its first decoded sample is heard, the encoder's priming counted, so what lies before time zero is left out.
public struct FragmentedMovie: Sendable {
    private let movie: MovieDescription
    private let types: [SampleType]
    private let video: VideoFormat?

    /// How long a picture claims to last, since it is sent before the next one is known. Longer than any gap between two
    /// pictures, so that what a browser calls buffered reaches past the newest picture and a still screen never stalls it;
    /// the next picture simply begins inside it. Media Source takes a jump of more than twice this for a discontinuity
    /// and then waits for a keyframe (W3C Media Source Extensions, 3.5.8, step 6).
    public static let pictureDuration = MediaTime.milliseconds(4000)

    /// - Parameters:
    ///   - video: nil where there are no pictures.
    ///   - audio: the sounds, each of another `type`. Players that know only one take the first.
    public init(video: VideoFormat?, audio: [AudioTrackFormat]) {
        var tracks: [TrackDescription] = []
        if let video { tracks.append(TrackDescription(id: 1, video: video)) }
        for format in audio {
            var track = TrackDescription(id: UInt32(tracks.count + 1), audio: format)
            track.mediaStart = 0
            tracks.append(track)
        }
        movie = MovieDescription(creationTime: 0, tracks: tracks)
        types = (video == nil ? [] : [.video]) + audio.map(\.type)
        self.video = video
    }

    /// `ftyp` and `moov`. It names no duration, which tells players that the stream is live.
    public var initializationSegment: [UInt8] {
        var writer = BoxWriter()
        writer.box("ftyp") {
            $0.code("iso5")  // the brand that knows default-base-is-moof
            $0.integer(UInt32(512))
            for brand: FourCharacterCode in ["iso5", "iso6", "mp41"] { $0.code(brand) }
        }
        return writer.bytes + MovieBox.initial(movie)
    }

    /// The `codecs` parameter of the stream's media type (RFC 6381, 3.3).
    public var codecs: String {
        types.map { $0 == .video ? videoCodec : Self.audioCodec }.joined(separator: ",")
    }

    /// The pictures' codec with profile, constraints and level: `avc1.640028` (RFC 6381, 3.3).
    public var videoCodec: String {
        let profile = video.map { Array($0.parameterSets.sequence.prefix(4).dropFirst()) } ?? []
        guard profile.count == 3 else { return "avc1.640028" }
        return "avc1."
            + profile.map { byte in
                let digits = String(byte, radix: 16)
                return byte < 16 ? "0" + digits : digits
            }.joined()
    }

    /// AAC-LC.
    public static let audioCodec = "mp4a.40.2"

    /// What a decoder outside a container has to know of the pictures: AVCDecoderConfigurationRecord
    /// (ISO/IEC 14496-15, 5.3.3.1). Empty where there are no pictures.
    public var videoDecoderConfiguration: [UInt8] { video.map { SampleEntry.decoderConfiguration($0) } ?? [] }

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
        var writer = BoxWriter()
        writer.reserveCapacity(128)
        writer.box("moof") {
            $0.fullBox("mfhd") { $0.integer(sequenceNumber) }
            $0.box("traf") {
                $0.fullBox("tfhd", flags: SerializedFragment.defaultBaseIsMoof) { $0.integer(track.id) }
                $0.fullBox("tfdt", version: 1) { $0.integer(UInt64(presentationTime.ticks(timescale: scale))) }
                if track.isVideo {
                    $0.fullBox("trun", flags: SerializedFragment.videoRunFlags) {
                        $0.integer(UInt32(1))
                        $0.integer(UInt32(Self.videoHeaderBytes))
                        $0.integer(UInt32(clamping: Self.pictureDuration.ticks(timescale: scale)))
                        $0.integer(UInt32(clamping: byteCount))
                        $0.integer(
                            isKeyframe ? TrackDescription.syncSampleFlags : TrackDescription.dependentSampleFlags)
                    }
                } else {
                    $0.fullBox("trun", flags: SerializedFragment.audioRunFlags) {
                        $0.integer(UInt32(1))
                        $0.integer(UInt32(Self.audioHeaderBytes))
                        $0.integer(UInt32(clamping: byteCount))
                    }
                }
            }
        }
        writer.integer(UInt32(clamping: 8 + byteCount))
        writer.code("mdat")
        return writer.bytes
    }

    /// moof 8, mfhd 16, traf 8, tfhd 16, tfdt 20, trun 20 and its fields, mdat's header 8.
    private static let audioHeaderBytes = 8 + 16 + 8 + 16 + 20 + 20 + 4 + 8
    private static let videoHeaderBytes = audioHeaderBytes + 8
}
