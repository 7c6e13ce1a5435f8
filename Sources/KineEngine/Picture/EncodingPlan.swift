// How a take is encoded: what the user chose, and what the far ends of its destinations expect. Pure.
import Glibc
import KineCodecs
import KineControl
import KineMedia
import KineServices

/// The least that extensions may bring the encoder down to, whatever they ask for.
struct EncodingFloor: Sendable, Equatable {
    /// Bits a second.
    var bitrate: Int
    var framesPerSecond: Double
}

struct EncodingPlan: Sendable, Equatable {
    /// Of the first encoder, which works always. It has a peak where destinations share it.
    var settings: VideoEncoderSettings
    /// The recording gets what was chosen; destinations that get less have an encoder of their own meanwhile.
    var keepsRecordingQuality: Bool
    var floor: EncodingFloor
    /// Bits a second that the destinations get at most; nil: no limit.
    var ceiling: Int?
    /// Bytes of the largest access unit that all destinations take; nil: no limit.
    var largestAccessUnit: Int?

    /// `services`: the extensions of the take. `size`: of the coded pictures, both sides even.
    init(_ configuration: TakeConfiguration, services: [ServiceManifest], size: PixelSize) {
        let video = configuration.video
        let isRecorded = configuration.output != nil
        var settings = Self.encoderSettings(configuration, size: size)
        let expectations = services.compactMap(\.expectations)
        largestAccessUnit = expectations.compactMap(\.maximumAccessUnit).min()
        let chosen = settings.averageBitrate
        if expectations.isEmpty {
            ceiling = nil
        } else if let maximum = video.maximumBitrate {
            ceiling = maximum
        } else {
            let expected = expectations.compactMap(\.maximumBitrate).min()
                .map { Self.ceiling($0, size: size, framesPerSecond: video.framesPerSecond) }
            // Without a recording a bitrate was chosen for the destinations.
            ceiling = expected.map { isRecorded ? $0 : max($0, chosen ?? 0) }
        }
        keepsRecordingQuality = isRecorded && (video.keepsRecordingQuality || video.constantFrameRate)
        let isShared = !keepsRecordingQuality || !video.isRateChosen || chosen ?? .max <= ceiling ?? 0
        if let ceiling, isShared {
            settings.peak = .init(
                bitrate: isRecorded ? ceiling : min(ceiling, chosen ?? .max), accessUnit: largestAccessUnit)
        } else if !isRecorded, !expectations.isEmpty, let chosen {
            settings.peak = .init(bitrate: chosen, accessUnit: largestAccessUnit)
        }
        self.settings = settings
        floor = EncodingFloor(
            bitrate: min(max(1, video.minimumBitrate), ceiling ?? .max),
            framesPerSecond: max(1, Double(video.framesPerSecond) / 4))
    }

    /// Bits a second that destinations are told of: those that were chosen, as far as they get them; nil: a quality was chosen.
    var averageBitRate: Int? { settings.averageBitrate.map { min($0, ceiling ?? .max) } }

    /// Bits a second for pictures of that size and rate, where `reference` is for 1920x1080 at 30 a second: larger pictures need
    /// fewer bits for each pixel, and twice the pictures less than twice the bits. The exponents meet what public ingests
    /// publish for 720p to 2160p and for 30 and 60 pictures.
    static func ceiling(_ reference: Int, size: PixelSize, framesPerSecond: Int) -> Int {
        let area = Double(size.area) / (1920 * 1080)
        let rate = Double(max(1, framesPerSecond)) / 30
        let bits = Double(reference) * pow(area, 0.75) * rate.squareRoot()
        return max(min(300_000, reference), Int((min(bits, 1e9) / 100_000).rounded()) * 100_000)
    }
}

extension ServiceManifest {
    /// What the far end expects of encoded pictures; nil: it does not take any.
    var expectations: Expectations? {
        guard case .encoded(_, _, let expectations) = video else { return nil }
        return expectations
    }
}
