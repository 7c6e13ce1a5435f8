// The encoding of a take, from the user's choices and the limits of its destinations' far ends. Pure.
import Glibc
import KineCodecs
import KineMedia

/// The lowest bitrate and frame rate, whatever extensions ask for.
struct EncodingFloor: Sendable, Equatable {
    /// Bits a second.
    var bitrate: Int
    var framesPerSecond: Double
}

struct EncodingPlan: Sendable, Equatable {
    /// The codec of all frames, for the recording and for destinations.
    var codec: VideoCodec
    /// The size that the frames show, in pixels; the coded sides are even.
    var size: PixelSize
    /// The settings of the first encoder, with a peak if destinations share it.
    var settings: VideoEncoderSettings
    /// The recording keeps the user's settings; while destinations get less, they have an encoder of their own.
    var keepsRecordingQuality: Bool
    var floor: EncodingFloor
    /// Bits a second that the destinations get at most; nil: no limit.
    var ceiling: Int?
    /// Bytes of the largest access unit that all destinations accept; nil: no limit.
    var largestAccessUnit: Int?

    /// - Parameters:
    ///   - services: the requirements of the take's extensions.
    ///   - size: the size that the frames show.
    ///   - codecs: those that the take can make, the preferred one first; not empty.
    init(
        _ configuration: TakeConfiguration, services: [SampleRequirements], size: PixelSize, codecs: [VideoCodec]
    ) {
        codec = Self.codec(for: services, among: codecs)
        self.size = size
        let codedSize = size.roundedUpToEven
        let video = configuration.video
        let isRecorded = configuration.keepsSamples
        let expectations = services.compactMap(\.expectations)
        settings = Self.encoderSettings(configuration, size: codedSize)
        let chosen = settings.averageBitrate
        largestAccessUnit = expectations.compactMap(\.maximumAccessUnit).min()
        if !expectations.isEmpty {
            let expected = expectations.compactMap(\.maximumBitrate).min()
                .map { Self.ceiling($0, size: codedSize, framesPerSecond: video.framesPerSecond) }
            // Without a recording a bitrate was chosen for the destinations.
            ceiling = video.maximumBitrate ?? expected.map { isRecorded ? $0 : max($0, chosen ?? 0) }
        }
        keepsRecordingQuality = isRecorded && (video.keepsRecordingQuality || video.constantFrameRate)
        floor = EncodingFloor(
            bitrate: min(max(1, video.minimumBitrate), ceiling ?? .max),
            framesPerSecond: max(1, Double(video.framesPerSecond) / 4))

        let isShared = !keepsRecordingQuality || !video.isRateChosen || chosen ?? .max <= ceiling ?? 0
        let sharedPeak = ceiling.flatMap { isShared ? (isRecorded ? $0 : min($0, chosen ?? .max)) : nil }
        let destinationsPeak = isRecorded || expectations.isEmpty ? nil : chosen
        settings.peak = (sharedPeak ?? destinationsPeak).map { .init(bitrate: $0, accessUnit: largestAccessUnit) }
    }

    /// The first codec that all services accept, in the order of the first one's preference. Where there is none, the
    /// first that any of them accepts: the others are refused with a sentence when they ask for a feed.
    private static func codec(for services: [SampleRequirements], among codecs: [VideoCodec]) -> VideoCodec {
        let accepted = services.compactMap(\.codecs)
        let possible = accepted.joined().filter(codecs.contains)
        return possible.first { codec in accepted.allSatisfy { $0.contains(codec) } } ?? possible.first ?? codecs[0]
    }

    /// The bitrate reported to destinations, in bits a second: the user's choice, up to the ceiling; nil for a quality.
    var averageBitrate: Int? { settings.averageBitrate.map { min($0, ceiling ?? .max) } }

    /// Bits a second for frames of that size and rate, where `reference` is for 1920x1080 at 30 frames a second. Larger frames
    /// need fewer bits a pixel, and twice the frames less than twice the bits. The exponents fit what public ingests publish
    /// for 720p to 2160p at 30 and 60 frames a second.
    static func ceiling(_ reference: Int, size: PixelSize, framesPerSecond: Int) -> Int {
        let area = Double(size.area) / (1920 * 1080)
        let rate = Double(max(1, framesPerSecond)) / 30
        let bits = Double(reference) * pow(area, 0.75) * rate.squareRoot()
        return max(min(300_000, reference), Int((min(bits, 1e9) / 100_000).rounded()) * 100_000)
    }

    /// The settings of the first encoder, without a peak.
    private static func encoderSettings(_ configuration: TakeConfiguration, size: PixelSize) -> VideoEncoderSettings {
        let video = configuration.video
        let rate: VideoEncoderSettings.RateControl =
            switch video.rateControl {
            case .constantQuality(let quality): .constantQuantizer(quality)
            case .averageBitrate(let bits): .averageBitrate(bits)
            case .bitsPerSecondPerPixel(let bits): .averageBitrate(Int(bits * Double(size.area)))
            }
        return VideoEncoderSettings(
            size: size, colour: video.colour, rateControl: rate, preset: video.preset,
            nominalFrameRate: video.framesPerSecond,
            keyframeFrames: video.keyframeFrames,
            // One thread codes 1080p at 60; past that a frame needs both the time and the memory of more.
            threads: size.area * video.framesPerSecond > 2560 * 1440 * 60 ? 4 : 1,
            usesMacroblockInfo: configuration.optimizations.macroblockInfo)
    }
}

extension VideoEncoderSettings {
    /// Bits a second; nil: a quality was chosen.
    var averageBitrate: Int? {
        if case .averageBitrate(let bits) = rateControl { return bits }
        return nil
    }
}

/// The formats of a take's encoded video. Every keyframe has its own: a sink that lost samples then still knows the
/// format of the next ones. Used by one thread.
final class StreamFormat {
    private let codedSize: PixelSize
    private let shownSize: PixelSize
    private let ready: (VideoFormat) -> Void
    private var first: VideoFormat?
    private var hasChanged = false

    /// `ready` gets the first format once, before its samples.
    init(_ plan: EncodingPlan, ready: @escaping (VideoFormat) -> Void) {
        (codedSize, shownSize) = (plan.settings.size, plan.size)
        self.ready = ready
    }

    /// Notes an encoder's format. Returns it with the size to show.
    func note(_ format: VideoFormat) -> VideoFormat {
        var format = format
        if format.size == codedSize { format.size = shownSize }
        if first == nil {
            first = format
            ready(format)
        }
        hasChanged = hasChanged || format != first
        return format
    }

    /// Gives a keyframe its format. Once the format has changed, also gives it the parameter sets as units, for players
    /// that know only the first sample entry of a file, or the first header of a stream.
    func describe(_ keyframe: inout EncodedSample, _ format: VideoFormat) {
        keyframe.format = format
        if hasChanged { keyframe.data = format.parameterSets.units + keyframe.data }
    }
}

// Joins the requests of all feeds into one request to the encoder. All get the same frames, so the lowest counts; none
// gets more than the user chose.
extension EncodingRequest {
    /// The lowest bitrate and the lowest frame rate of all requests.
    static func lowest(of requests: some Sequence<EncodingRequest>) -> EncodingRequest {
        requests.reduce(into: .none) { lowest, request in
            lowest.averageBitrate = [lowest.averageBitrate, request.averageBitrate].compactMap(\.self).min()
            lowest.maximumFrameRate = [lowest.maximumFrameRate, request.maximumFrameRate].compactMap(\.self).min()
        }
    }

    /// The parts of the request that ask for less than the user chose, raised to the floor. `averageBitrate`: the chosen bits a
    /// second; nil: a quality was chosen, which has no bitrate.
    func within(averageBitrate chosen: Int?, framesPerSecond: Int, floor: EncodingFloor) -> EncodingRequest {
        EncodingRequest(
            averageBitrate: averageBitrate.map { max($0, floor.bitrate) }
                .flatMap { $0 < chosen ?? .max ? $0 : nil },
            maximumFrameRate: maximumFrameRate.map { max($0, floor.framesPerSecond) }
                .flatMap { $0 < Double(framesPerSecond) ? $0 : nil })
    }
}
