// H.264 through libx264's own C interface: libavcodec does not pass mb_info on, and mb_info is what makes a quiet desktop
// cheap. One picture in, one access unit out, nothing held back.
import CX264
import KineMedia

/// An H.264 encoder: High profile, CABAC, no reordering, one reference. Not thread-safe: one thread encodes.
public final class X264Encoder {
    public enum Error: Swift.Error, CustomStringConvertible {
        case cannotOpen(PixelSize)
        case encodingFailed

        public var description: String {
            switch self {
            case .cannotOpen(let size):
                "The H.264 encoder could not be opened for \(size.width)×\(size.height) pixels; "
                    + "choose a smaller picture with --size."
            case .encodingFailed:
                "The H.264 encoder failed on a picture, most likely for want of memory; close something and record again."
            }
        }
    }

    public let parameterSets: H264ParameterSets
    public private(set) var settings: VideoEncoderSettings
    private let handle: OpaquePointer
    /// As x264 has them, for what can be changed later.
    private var parameters: x264_param_t
    /// One byte a macroblock, read by x264 during `encode`.
    private let macroblockInfo: UnsafeMutableBufferPointer<UInt8>
    private var previousTicks: Int64 = -1
    /// Only where x264 keeps a limit without an average: an average is over so many pictures, however far apart.
    private var buffer: PeakBuffer?
    private var tuning = Tuning()

    /// What x264 is told for one picture.
    private struct Tuning: Equatable {
        /// How many intervals of the nominal rate its buffer is filled by after the picture.
        var intervals = 1
        var isRepeat = false
    }

    private static let timescale: Int32 = 90000
    private static let finestDeblocked = 26
    private static let coarsest: Int32 = 51

    /// `continuing`: the stream goes on where that encoder has left it, with its parameter sets; see `canContinue`.
    public init(_ settings: VideoEncoderSettings, continuing other: X264Encoder? = nil) throws(Error) {
        self.settings = settings
        var parameters = x264_param_t()
        guard x264_param_default_preset(&parameters, "veryfast", nil) == 0 else { throw .cannotOpen(settings.size) }
        Self.configure(&parameters, settings)
        if let other {
            // The level would follow the rate, and decoders were told one for the whole stream.
            parameters.i_level_idc = other.parameters.i_level_idc
            previousTicks = other.previousTicks
        }
        guard x264_param_apply_profile(&parameters, "high") == 0,
            let handle = kine_x264_encoder_open(&parameters)
        else { throw .cannotOpen(settings.size) }
        var units: UnsafeMutablePointer<x264_nal_t>?
        var count: Int32 = 0
        guard x264_encoder_headers(handle, &units, &count) > 0,
            let sets = Self.parameterSets(UnsafeBufferPointer(start: units, count: Int(count)))
        else {
            x264_encoder_close(handle)
            throw .cannotOpen(settings.size)
        }
        self.handle = handle
        x264_encoder_parameters(handle, &parameters)
        self.parameters = parameters
        parameterSets = sets
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

    private static func configure(_ p: inout x264_param_t, _ settings: VideoEncoderSettings) {
        p.i_width = Int32(settings.size.width)
        p.i_height = Int32(settings.size.height)
        p.i_csp = X264_CSP_I420
        p.i_log_level = X264_LOG_ERROR
        p.i_threads = Int32(settings.threads)
        p.b_sliced_threads = settings.threads > 1 ? 1 : 0  // frame threads would hold pictures back
        p.i_sync_lookahead = 0
        // Variable frame rate as x264 understands it holds one picture back to learn its duration. Times are kept here.
        p.b_vfr_input = 0
        p.i_fps_num = UInt32(settings.nominalFrameRate)
        p.i_fps_den = 1
        // mb_info is honoured only where the sole reference is the previous picture, unweighted, at a steady quantiser.
        p.i_bframe = 0
        p.i_frame_reference = 1
        p.analyse.i_weighted_pred = Int32(X264_WEIGHTP_NONE)
        p.analyse.b_mb_info = settings.usesMacroblockInfo ? 1 : 0
        // Desktops scroll by a line of text, farther than the preset's hexagon finds: half the bytes on a scrolling
        // terminal for the same processor time.
        p.analyse.i_me_method = X264_ME_UMH
        p.analyse.i_me_range = 32
        // Scene cuts would need the low-resolution pass over every picture; capture knows when a picture is new.
        p.i_scenecut_threshold = 0
        p.i_keyint_max = Int32(settings.keyframeFrames ?? Int(X264_KEYINT_MAX_INFINITE))
        p.rc.i_lookahead = 0
        p.rc.b_mb_tree = 0
        // The picture parameter set would begin at the quantizer, and encoders that follow each other must have the same.
        p.b_stitchable = 1
        configureRate(&p, settings)
        // AVCC: lengths instead of start codes, parameter sets in the sample entry only.
        p.b_annexb = 0
        p.b_repeat_headers = 0
        p.b_aud = 0
        // BT.709, limited range (ITU-T H.264, E.2.1): what the conversion does and what the file's colr box says.
        p.vui.b_fullrange = 0
        p.vui.i_colorprim = 1
        p.vui.i_transfer = 1
        p.vui.i_colmatrix = 1
        // Each chroma sample is the mean of four pixels, so it lies in their middle (ITU-T H.264, figure E-1: type 1).
        p.vui.i_chroma_loc = 1
        p.vui.i_sar_width = 1
        p.vui.i_sar_height = 1
    }

    private static func configureRate(_ p: inout x264_param_t, _ settings: VideoEncoderSettings) {
        if let peak = settings.peak { setPeak(&p, peak, settings) }
        switch settings.rateControl {
        case .constantQuantizer(let quantizer) where settings.peak != nil:
            // Constant quantisers know no limit; a constant rate factor without adaptive quantisers is nearly the same, and does.
            p.rc.i_rc_method = Int32(X264_RC_CRF)
            p.rc.f_rf_constant = Float(max(1, quantizer))
            // Otherwise a still picture, easy as it is, would get finer quantizers from picture to picture: each would be coded
            // anew, for mb_info is not honoured when the quantizer has dropped.
            p.rc.f_qcompress = 1
            p.rc.i_aq_mode = Int32(X264_AQ_NONE)
        case .constantQuantizer(let quantizer):
            p.rc.i_rc_method = Int32(X264_RC_CQP)
            p.rc.i_qp_constant = Int32(max(1, quantizer))  // 0 is lossless, which High profile has not
            // At fine quantisers there are no block edges to hide: the filter would cost a twentieth of the time and soften
            // text, for about one per cent of the bytes.
            p.b_deblocking_filter = quantizer > finestDeblocked ? 1 : 0
        case .averageBitrate(let bits):
            p.rc.i_rc_method = Int32(X264_RC_ABR)
            p.rc.i_bitrate = kilobits(min(bits, settings.peak?.bitrate ?? bits))
        }
    }

    /// A picture, also a keyframe, has to fit into what the peak lets through in half a second: then it is no burst that a
    /// network which takes the peak would hold up for longer.
    private static func setPeak(
        _ p: inout x264_param_t, _ peak: VideoEncoderSettings.Peak, _ settings: VideoEncoderSettings
    ) {
        p.rc.i_vbv_max_bitrate = kilobits(peak.bitrate)
        let buffer = p.rc.i_vbv_max_bitrate / Int32(min(2, max(1, settings.nominalFrameRate)))
        // The limit is kept by estimates, which may be off by some.
        let largest = peak.accessUnit.map { Int32(clamping: $0 * 8 / 1000 * 3 / 4) }
        p.rc.i_vbv_buffer_size = max(1, min(buffer, largest ?? .max))
    }

    private static func kilobits(_ bits: Int) -> Int32 { Int32(max(1, min(bits / 1000, largestKilobits))) }
    /// x264 has no larger rates.
    private static let largestKilobits = 2_000_000

    private var bufferCapacity: Int { Int(parameters.rc.i_vbv_buffer_size) * 1000 }
    private var bufferInterval: Double {
        Double(parameters.rc.i_vbv_max_bitrate) * 1000 / Double(settings.nominalFrameRate)
    }

    /// Whether the stream of the other encoder can go on with this one's pictures: their parameter sets are the same.
    public func canContinue(_ other: X264Encoder) -> Bool { parameterSets == other.parameterSets }

    /// Times go on behind those of the other encoder, whose pictures came in between.
    public func follow(_ other: X264Encoder) { previousTicks = max(previousTicks, other.previousTicks) }

    /// Sets another peak from the next picture on, and an average with it. False where this encoder was opened without one:
    /// x264 can change limits, but neither introduce nor give up any (x264_encoder_reconfig).
    public func setPeak(_ peak: VideoEncoderSettings.Peak) -> Bool {
        guard settings.peak != nil else { return false }
        guard settings.peak != peak else { return true }
        var changed = parameters
        Self.setPeak(&changed, peak, settings)
        if case .averageBitrate(let bits) = settings.rateControl {
            changed.rc.i_bitrate = Self.kilobits(min(bits, peak.bitrate))
        }
        guard x264_encoder_reconfig(handle, &changed) == 0 else { return false }
        parameters = changed
        tuning = Tuning()
        settings.peak = peak
        buffer?.resize(capacity: bufferCapacity, interval: bufferInterval)
        return true
    }

    /// Tells x264 what is particular to the next picture. It fills its buffer for one interval after each, so several intervals
    /// are as many times the rate.
    private func tune(isRepeat: Bool, elapsed ticks: Int64) {
        var next = Tuning(isRepeat: isRepeat)
        if buffer != nil {
            let nominal = Double(settings.nominalFrameRate)
            let rate = min(nominal, settings.peak?.frameRate ?? nominal)
            next.intervals = buffer?.intervals(elapsed: Double(ticks) * rate / Double(Self.timescale)) ?? 1
        }
        guard next != tuning else { return }
        var changed = parameters
        changed.rc.i_vbv_max_bitrate = Int32(
            clamping: min(Int(changed.rc.i_vbv_max_bitrate) * next.intervals, Self.largestKilobits))
        if isRepeat {
            // A repeated picture is only sharpened. Nothing has moved in it, so a search for motion takes most of the time
            // and finds nothing.
            changed.analyse.i_me_method = X264_ME_DIA
            changed.analyse.i_me_range = 4
            changed.analyse.i_subpel_refine = 1
        }
        if x264_encoder_reconfig(handle, &changed) == 0 { tuning = next }
    }

    private static func parameterSets(_ units: UnsafeBufferPointer<x264_nal_t>) -> H264ParameterSets? {
        var sequence: [UInt8]?
        var picture: [UInt8]?
        for unit in units where unit.i_payload > 4 {
            // Each unit comes behind a four-byte length.
            let bytes = Array(UnsafeBufferPointer(start: unit.p_payload + 4, count: Int(unit.i_payload) - 4))
            if unit.i_type == Int32(NAL_SPS.rawValue) { sequence = bytes }
            if unit.i_type == Int32(NAL_PPS.rawValue) { picture = bytes }
        }
        guard let sequence, let picture else { return nil }
        return H264ParameterSets(sequence: VariableRateSPS.clearingFixedFrameRate(sequence), picture: picture)
    }

    /// Encodes one picture. `changed` are the tiles that differ from the picture encoded just before this one; `time` is
    /// since the take's start and must grow. The planes may be reused as soon as this returns: x264 has copied them.
    /// `isCoarsest`: with the coarsest quantizer there is.
    public func encode(
        _ picture: I420Picture, changed: DamageRegion, at time: MediaTime, forceKeyframe: Bool,
        isCoarsest: Bool = false
    ) throws(Error) -> EncodedSample {
        var input = x264_picture_t()
        x264_picture_init(&input)
        input.img.i_csp = X264_CSP_I420
        input.img.i_plane = 3
        input.img.plane = (picture.y, picture.u, picture.v, nil)
        let chroma = Int32(picture.chromaStride)
        input.img.i_stride = (Int32(picture.lumaStride), chroma, chroma, 0)
        // Two pictures of one tick would have no duration between them; that happens around a pause.
        let ownTicks = time.ticks(timescale: Self.timescale)
        let ticks = max(ownTicks, previousTicks + 1)
        let time = ticks == ownTicks ? time : MediaTime(ticks: ticks, timescale: Self.timescale)
        tune(isRepeat: changed.isEmpty && !forceKeyframe, elapsed: ticks - previousTicks)
        previousTicks = ticks
        input.i_pts = ticks
        input.i_type = forceKeyframe ? X264_TYPE_IDR : X264_TYPE_AUTO
        if isCoarsest { input.i_qpplus1 = Self.coarsest + 1 }
        if settings.usesMacroblockInfo && !forceKeyframe {
            mark(changed)
            input.prop.mb_info = macroblockInfo.baseAddress
        }
        var units: UnsafeMutablePointer<x264_nal_t>?
        var count: Int32 = 0
        var output = x264_picture_t()
        let bytes = x264_encoder_encode(handle, &units, &count, &input, &output)
        guard bytes > 0, let first = units else { throw .encodingFailed }
        buffer?.remove(Int(bytes) * 8, adding: tuning.intervals)
        // The payloads of one access unit lie one behind the other.
        let data = Array(UnsafeBufferPointer(start: first.pointee.p_payload, count: Int(bytes)))
        return EncodedSample(
            type: .video, presentationTime: time, duration: .seconds(1 / Double(settings.nominalFrameRate)),
            isKeyframe: output.b_keyframe != 0, data: data)
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
