// H.264 by libx264's own C interface: libavcodec does not pass mb_info on, which makes a quiet desktop cheap. One frame
// in, one access unit out, without delay.
import CX264
import KineCodecs
import KineMedia

/// An H.264 encoder: High profile at most, High 4:4:4 Predictive for 4:4:4, no reordering, one reference. Not thread-safe: one thread encodes.
///
/// Links x264, which is under the GNU General Public License, version 2 or later; so is a program that links this.
public final class X264Encoder: VideoEncoder {
    public static let codec = VideoCodec.h264

    /// The parameter sets of every frame. Access units do not contain them.
    public let h264ParameterSets: H264ParameterSets
    public private(set) var settings: VideoEncoderSettings
    private let handle: OpaquePointer
    /// x264's current parameters, for later changes.
    private var parameters: x264_param_t
    /// One byte a macroblock, read by x264 during `encode`.
    private let macroblockInfo: UnsafeMutableBufferPointer<UInt8>
    private var previousTicks: Int64 = -1
    /// Nil without a peak, and with an average bitrate, which counts frames, not time.
    private var buffer: PeakBuffer?
    private var tuning = Tuning()

    /// x264's parameters for one frame.
    private struct Tuning: Equatable {
        /// The intervals of the nominal rate by which x264 fills its buffer after the frame.
        var intervals = 1
        var isRepeat = false
    }

    private static let timescale: Int32 = 90000
    private static let coarsest: Int32 = 51

    public init(_ settings: VideoEncoderSettings, continuing other: X264Encoder? = nil) throws(VideoEncoderError) {
        self.settings = settings
        let failure = VideoEncoderError.cannotOpen(Self.codec, settings.size)
        // The level would follow from the bitrate, but decoders got one level for all frames of a size.
        let isAlike = other?.settings.size == settings.size
        guard var parameters = x264_param_t(settings, level: isAlike ? other?.parameters.i_level_idc : nil) else {
            throw failure
        }
        // Parameter sets for another size have another id: a player that seeks back still has the earlier ones then.
        if let id = other?.parameters.i_sps_id { parameters.i_sps_id = isAlike ? id : (id + 1) % 32 }
        guard let handle = kine_x264_encoder_open(&parameters) else { throw failure }
        guard let sets = Self.parameterSets(of: handle) else {
            x264_encoder_close(handle)
            throw failure
        }
        self.handle = handle
        h264ParameterSets = sets
        x264_encoder_parameters(handle, &parameters)
        self.parameters = parameters
        if let other { previousTicks = other.previousTicks }
        let tiles = DamageRegion(size: settings.size)
        macroblockInfo = .allocate(capacity: tiles.columns * tiles.rows)
        macroblockInfo.initialize(repeating: 0)
        if settings.peak != nil, case .constantQuantizer = settings.rateControl {
            buffer = PeakBuffer(capacity: bufferCapacity, interval: bufferInterval)
        }
    }

    deinit {
        x264_encoder_close(handle)
        macroblockInfo.deallocate()
    }

    static func parameterSets(of handle: OpaquePointer) -> H264ParameterSets? {
        var units: UnsafeMutablePointer<x264_nal_t>?
        var count: Int32 = 0
        guard x264_encoder_headers(handle, &units, &count) > 0 else { return nil }
        var sequence: [UInt8]?
        var picture: [UInt8]?
        for unit in UnsafeBufferPointer(start: units, count: Int(count)) where unit.i_payload > 4 {
            // Each unit has a four-byte length before it.
            let bytes = Array(UnsafeBufferPointer(start: unit.p_payload + 4, count: Int(unit.i_payload) - 4))
            if unit.i_type == Int32(NAL_SPS.rawValue) { sequence = bytes }
            if unit.i_type == Int32(NAL_PPS.rawValue) { picture = bytes }
        }
        guard let sequence, let picture else { return nil }
        return H264ParameterSets(sequence: VariableRateSPS.clearingFixedFrameRate(sequence), picture: picture)
    }

    private var bufferCapacity: Int { Int(parameters.rc.i_vbv_buffer_size) * 1000 }
    private var bufferInterval: Double {
        Double(parameters.rc.i_vbv_max_bitrate) * 1000 / Double(settings.nominalFrameRate)
    }

    public var format: VideoFormat? {
        VideoFormat(parameterSets: .h264(h264ParameterSets), size: settings.size)
    }

    public func follow(_ other: X264Encoder) { previousTicks = max(previousTicks, other.previousTicks) }

    /// False if this encoder was opened without a peak: x264 changes limits, but neither adds nor removes them
    /// (x264_encoder_reconfig).
    public func setPeak(_ peak: VideoEncoderSettings.Peak) -> Bool {
        guard settings.peak != nil else { return false }
        guard settings.peak != peak else { return true }
        var parameters = parameters
        parameters.setPeak(peak, nominalFrameRate: settings.nominalFrameRate)
        if case .averageBitrate(let bits) = settings.rateControl { parameters.setAverage(bits, peak: peak) }
        guard x264_encoder_reconfig(handle, &parameters) == 0 else { return false }
        self.parameters = parameters
        tuning = Tuning()
        settings.peak = peak
        buffer?.resize(capacity: bufferCapacity, interval: bufferInterval)
        return true
    }

    /// Sets x264's parameters for the next frame. x264 fills its buffer for one interval after each frame, so several
    /// intervals are a multiple of the rate.
    private func tune(isRepeat: Bool, elapsed ticks: Int64) {
        var next = Tuning(isRepeat: isRepeat)
        if buffer != nil {
            let nominal = Double(settings.nominalFrameRate)
            let rate = min(nominal, settings.peak?.frameRate ?? nominal)
            next.intervals = buffer?.intervals(elapsed: Double(ticks) * rate / Double(Self.timescale)) ?? 1
        }
        guard next != tuning else { return }
        var changed = parameters
        changed.scalePeak(by: next.intervals)
        if isRepeat { changed.searchLittle() }
        if x264_encoder_reconfig(handle, &changed) == 0 { tuning = next }
    }

    public func encode(
        _ frame: PlanarFrame, changed: DamageRegion, at time: MediaTime, forceKeyframe: Bool,
        output: (VideoEncoderOutput) -> Void
    ) throws(VideoEncoderError) {
        output(.sample(try encode(frame, changed: changed, at: time, forceKeyframe: forceKeyframe)))
    }

    public func drain(output: (VideoEncoderOutput) -> Void) throws(VideoEncoderError) {}

    /// Encodes one frame and returns its access unit; see `VideoEncoder.encode`. x264 copies the planes.
    public func encode(
        _ frame: PlanarFrame, changed: DamageRegion, at time: MediaTime, forceKeyframe: Bool
    ) throws(VideoEncoderError) -> EncodedSample {
        let sample = try encode(frame, changed, at: time, isKeyframe: forceKeyframe, isCoarsest: false)
        guard let limit = settings.peak?.accessUnit, sample.data.count > limit else { return sample }
        // x264 only estimates limits. A frame above the limit is encoded again, as small as possible.
        return try encode(frame, changed, at: time, isKeyframe: true, isCoarsest: true)
    }

    func encode(
        _ frame: PlanarFrame, _ changed: DamageRegion, at time: MediaTime, isKeyframe: Bool, isCoarsest: Bool
    ) throws(VideoEncoderError) -> EncodedSample {
        precondition(
            frame.size == settings.size && frame.colour == settings.colour,
            "the frame has the size and the colour that the encoder was opened for")
        // Two frames at the same tick would have no duration between them; that happens around a pause.
        let ownTicks = time.ticks(timescale: Self.timescale)
        let ticks = max(ownTicks, previousTicks + 1)
        tune(isRepeat: changed.isEmpty && !isKeyframe, elapsed: ticks - previousTicks)
        previousTicks = ticks
        var input = x264_picture_t(frame, ticks: ticks, isKeyframe: isKeyframe)
        if isCoarsest { input.i_qpplus1 = Self.coarsest + 1 }
        if settings.usesMacroblockInfo && !isKeyframe {
            mark(changed)
            input.prop.mb_info = macroblockInfo.baseAddress
        }
        var units: UnsafeMutablePointer<x264_nal_t>?
        var count: Int32 = 0
        var output = x264_picture_t()
        let bytes = x264_encoder_encode(handle, &units, &count, &input, &output)
        guard bytes > 0, let first = units else { throw .encodingFailed(Self.codec, code: bytes) }
        buffer?.remove(Int(bytes) * 8, adding: tuning.intervals)
        return EncodedSample(
            type: .video,
            presentationTime: ticks == ownTicks ? time : MediaTime(ticks: ticks, timescale: Self.timescale),
            duration: .seconds(1 / Double(settings.nominalFrameRate)), isKeyframe: output.b_keyframe != 0,
            // The payloads of one access unit are contiguous.
            data: Array(UnsafeBufferPointer(start: first.pointee.p_payload, count: Int(bytes))))
    }

    private func mark(_ changed: DamageRegion) {
        macroblockInfo.update(repeating: UInt8(X264_MBINFO_CONSTANT))
        for row in 0..<changed.rows {
            for run in changed.runs(row: row) {
                for column in run { macroblockInfo[row * changed.columns + column] = 0 }
            }
        }
    }
}
