// H.264 by Cisco's OpenH264 (BSD licence), for programs that cannot link x264. One frame in, one access unit out,
// without delay.
import COpenH264
import KineMedia
import KinePlatform

/// An H.264 encoder under the BSD licence: Constrained Baseline profile, no reordering, one reference. Not thread-safe: one thread encodes.
///
/// libopenh264 is loaded when the first encoder is opened; it is not linked. It differs from x264 in these points:
/// - It does not know which part of a frame has changed: it searches every frame, even an unchanged one.
/// - Its rate control counts frames: each gets the bits of one interval of the nominal frame rate, whenever it comes.
///   Below that rate the stream has fewer bits than requested.
/// - A frame has at most 9,437,184 pixels (4096×2304), and a nominal frame rate above 60 counts as 60.
/// - It fails on a frame that needs more than a byte per pixel. That becomes a keyframe with a coarser quantizer.
public final class OpenH264Encoder: VideoEncoder {
    public static let codec = VideoCodec.h264

    /// The parameter sets of every frame. Access units do not contain them.
    public let h264ParameterSets: H264ParameterSets
    public private(set) var settings: VideoEncoderSettings
    /// Nil after it failed on a frame; opened again for the next one.
    private var library: OpenH264Library?
    /// The decoder's last frame differs from the library's, which must continue with a keyframe.
    private var needsKeyframe = false
    /// The number of the previous frame if it was an IDR. Consecutive IDR frames must have different identifiers (ITU-T
    /// H.264, 7.4.3), even from two encoders.
    private var lastIDRNumber: Int?
    private var previousTicks: Int64 = -1

    private static let timescale: Int32 = 90000
    /// Quantizers to try in turn for a frame that would be too large.
    private static let coarseQuantizers = [32, 40, 51]

    /// Opens an encoder.
    ///
    /// Throws `VideoEncoderError.missing` if libopenh264 is not installed or has another version than the headers here,
    /// `cannotOpen` for a size that it refuses, and `noChroma` for 4:4:4, which it does not encode.
    public init(_ settings: VideoEncoderSettings, continuing other: OpenH264Encoder? = nil) throws(VideoEncoderError) {
        guard settings.colour.chroma == .yuv420 else { throw .noChroma(settings.colour.chroma, library: "OpenH264") }
        guard kine_load_openh264() != 0 else { throw .missing(Self.codec, package: LateLibrary.libopenh264.package) }
        guard let library = OpenH264Library(settings), let sets = library.parameterSets() else {
            throw .cannotOpen(Self.codec, settings.size)
        }
        self.library = library
        self.settings = settings
        // The library derives the level from the bitrate, but decoders got one level for the whole stream.
        let continued = other?.h264ParameterSets
        h264ParameterSets = continued.flatMap { $0.differsInLevelOnly(from: sets) ? $0 : nil } ?? sets
        if let other { follow(other) }
    }

    public var format: VideoFormat? {
        VideoFormat(parameterSets: .h264(h264ParameterSets), size: settings.size)
    }

    public func follow(_ other: OpenH264Encoder) {
        previousTicks = max(previousTicks, other.previousTicks)
        lastIDRNumber = other.lastIDRNumber
    }

    /// False if this encoder was opened without a peak: with a constant quantizer, its rate control stays off. Also
    /// false for a bitrate above the level in the parameter sets, which follows from the bitrates at opening.
    public func setPeak(_ peak: VideoEncoderSettings.Peak) -> Bool {
        guard settings.peak != nil else { return false }
        guard settings.peak != peak else { return true }
        var changed = settings
        changed.peak = peak
        if let rate = changed.openH264Bitrate, let library {
            guard library.setBitrate(average: rate.average, highest: rate.highest) else { return false }
        }
        settings = changed
        return true
    }

    public func encode(
        _ frame: PlanarFrame, changed: DamageRegion, at time: MediaTime, forceKeyframe: Bool,
        output: (VideoEncoderOutput) -> Void
    ) throws(VideoEncoderError) {
        output(.sample(try encode(frame, changed: changed, at: time, forceKeyframe: forceKeyframe)))
    }

    public func drain(output: (VideoEncoderOutput) -> Void) throws(VideoEncoderError) {}

    /// Encodes one frame and returns its access unit; see `VideoEncoder.encode`. The library copies the planes.
    public func encode(
        _ frame: PlanarFrame, changed: DamageRegion, at time: MediaTime, forceKeyframe: Bool
    ) throws(VideoEncoderError) -> EncodedSample {
        precondition(frame.size == settings.size, "the frame has the size that the encoder was opened for")
        // Two frames at the same tick would have no duration between them.
        let ownTicks = time.ticks(timescale: Self.timescale)
        let ticks = max(ownTicks, previousTicks + 1)
        previousTicks = ticks
        let unit = try encode(frame, milliseconds: ticks * 1000 / Int64(Self.timescale), isKeyframe: forceKeyframe)
        lastIDRNumber = unit.idrNumber
        return EncodedSample(
            type: .video,
            presentationTime: ticks == ownTicks ? time : MediaTime(ticks: ticks, timescale: Self.timescale),
            duration: .seconds(1 / Double(settings.nominalFrameRate)), isKeyframe: unit.idrNumber != nil,
            data: unit.data)
    }

    /// Encodes with the settings, or coarser if the frame would be too large for the library or for the peak.
    private func encode(
        _ frame: PlanarFrame, milliseconds: Int64, isKeyframe: Bool
    ) throws(VideoEncoderError) -> OpenH264Library.AccessUnit {
        guard let library = library ?? OpenH264Library(settings) else { throw .cannotOpen(Self.codec, settings.size) }
        self.library = library
        let limit = settings.peak?.accessUnit ?? .max
        do throws(OpenH264Failure) {
            let unit = try encode(frame, milliseconds, isKeyframe: isKeyframe || needsKeyframe, with: library)
            needsKeyframe = false
            if unit.data.count <= limit { return unit }
        } catch {
            self.library = nil
        }
        needsKeyframe = true
        return try encodeCoarsely(frame, milliseconds, limit: limit)
    }

    /// Makes a keyframe with the first quantizer that makes it small enough, with another encoder: only this one's rate
    /// control changes its quantizer.
    private func encodeCoarsely(
        _ frame: PlanarFrame, _ milliseconds: Int64, limit: Int
    ) throws(VideoEncoderError) -> OpenH264Library.AccessUnit {
        var code: Int32 = 0
        for quantizer in Self.coarseQuantizers {
            var coarse = settings
            coarse.rateControl = .constantQuantizer(quantizer)
            coarse.peak = nil
            guard let library = OpenH264Library(coarse) else { throw .cannotOpen(Self.codec, settings.size) }
            do throws(OpenH264Failure) {
                let unit = try encode(frame, milliseconds, isKeyframe: true, with: library)
                if unit.data.count <= limit || quantizer == Self.coarseQuantizers.last { return unit }
            } catch { code = error.code }
        }
        throw .encodingFailed(Self.codec, code: code)
    }

    private func encode(
        _ frame: PlanarFrame, _ milliseconds: Int64, isKeyframe: Bool, with library: OpenH264Library
    ) throws(OpenH264Failure) -> OpenH264Library.AccessUnit {
        let unit = try library.encode(frame, milliseconds: milliseconds, isKeyframe: isKeyframe)
        guard let number = unit.idrNumber, number == lastIDRNumber else { return unit }
        return try library.encode(frame, milliseconds: milliseconds, isKeyframe: true)  // with the next identifier
    }
}

extension H264ParameterSets {
    /// Whether both differ only in level_idc, the fourth byte of the sequence parameter set (ITU-T H.264, 7.3.2.1.1).
    fileprivate func differsInLevelOnly(from other: H264ParameterSets) -> Bool {
        guard picture == other.picture, sequence.count == other.sequence.count else { return false }
        return zip(sequence, other.sequence).enumerated().allSatisfy { $0.offset == 3 || $0.element.0 == $0.element.1 }
    }
}
