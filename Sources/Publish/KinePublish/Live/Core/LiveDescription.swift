// The first record of every stream, which the page needs before it can decode.
import FoundationEssentials
import KineContainers
import KineMedia

/// The formats of a live stream, as JSON. Keys are read by Page/*.js.
struct LiveDescription: Codable, Equatable, Sendable {
    struct Video: Codable, Equatable, Sendable {
        /// The `codecs` parameter, for `VideoDecoder` and Media Source.
        var codec: String
        /// The codec's decoder configuration record (`avcC`, `hvcC`, `av1C`).
        var description: [UInt8]
        /// Pixels, as shown.
        var width: Int
        var height: Int
    }

    struct Audio: Codable, Equatable, Sendable {
        /// The `LiveRecord.Kind` of its samples.
        var kind: UInt8
        var codec: String
        /// AudioSpecificConfig.
        var description: [UInt8]
        /// Samples a second.
        var sampleRate: Int
        var channels: Int
    }

    var title: String
    var video: Video?
    var audio: [Audio]
    /// The media type of `live.mp4` and of every fragment.
    var mediaType: String

    init(title: String, format: LiveFormat, movie: FragmentedMovie) {
        self.title = title
        video = format.video.map {
            Video(
                codec: $0.parameterSets.codecsParameter, description: $0.parameterSets.decoderConfigurationRecord,
                width: $0.size.width, height: $0.size.height)
        }
        audio = format.audio.map {
            Audio(
                kind: LiveRecord.Kind($0.type).rawValue, codec: FragmentedMovie.audioCodec,
                description: $0.configuration, sampleRate: $0.sampleRate, channels: $0.channels)
        }
        mediaType = "\(format.video == nil ? "audio" : "video")/mp4; codecs=\"\(movie.codecs)\""
    }
}

/// The tracks of a live stream.
public struct LiveFormat: Sendable, Equatable {
    /// Nil: the stream has no video.
    public var video: VideoFormat?
    /// The tracks; no two have the same `type`.
    public var audio: [AudioFormat]

    public init(video: VideoFormat?, audio: [AudioFormat]) {
        self.video = video
        self.audio = audio
    }
}

extension Encodable {
    /// The value as JSON; empty if encoding fails, which does not happen with these types.
    var json: [UInt8] { (try? JSONEncoder().encode(self)).map { Array($0) } ?? [] }
}
