// Translates Kinecast's settings into x264's parameters, and a frame into x264's form.
import CX264
import KineCodecs
import KineMedia

extension x264_param_t {
    /// Above this quantizer, block edges are visible enough to hide.
    private static let finestDeblocked = 26
    /// x264's limit.
    private static let largestKilobits = 2_000_000

    /// - Parameter level: level_idc (the level times ten) of a continued stream; nil: x264 chooses it.
    init?(_ settings: VideoEncoderSettings, level: Int32?) {
        self.init()
        guard x264_param_default_preset(&self, (settings.preset ?? .veryfast).rawValue, nil) == 0 else { return nil }
        setForm(settings)
        setPrediction(settings)
        setRate(settings)
        setColour(settings.colour)
        if let level { i_level_idc = level }
        guard x264_param_apply_profile(&self, settings.colour.profile) == 0 else { return nil }
    }

    /// Sets size, times, threads, and the form of access units.
    private mutating func setForm(_ settings: VideoEncoderSettings) {
        i_width = Int32(settings.size.width)
        i_height = Int32(settings.size.height)
        i_csp = settings.colour.chroma.x264
        i_log_level = X264_LOG_ERROR
        i_threads = Int32(settings.threads)
        b_sliced_threads = settings.threads > 1 ? 1 : 0  // frame threads would delay frames
        i_sync_lookahead = 0
        // x264's variable frame rate delays a frame to learn its duration. The caller keeps the times instead.
        b_vfr_input = 0
        i_fps_num = UInt32(settings.nominalFrameRate)
        i_fps_den = 1
        i_keyint_max = Int32(settings.keyframeFrames ?? Int(X264_KEYINT_MAX_INFINITE))
        // Lengths instead of start codes, and parameter sets only in the sample entry.
        b_annexb = 0
        b_repeat_headers = 0
        b_aud = 0
        // Keeps the quantizer out of the picture parameter set: encoders that continue each other need the same sets.
        b_stitchable = 1
    }

    /// Settings of every preset: no frame is delayed, and unchanged macroblocks cost almost nothing.
    private mutating func setPrediction(_ settings: VideoEncoderSettings) {
        // x264 uses mb_info only if the sole reference is the previous frame, unweighted, at a steady quantizer.
        i_bframe = 0
        i_frame_reference = 1
        analyse.i_weighted_pred = Int32(X264_WEIGHTP_NONE)
        analyse.b_mb_info = settings.usesMacroblockInfo ? 1 : 0
        // Scene cuts would need the low-resolution pass over every frame; capture knows when a frame is new.
        i_scenecut_threshold = 0
        rc.i_lookahead = 0
        rc.b_mb_tree = 0
        guard settings.preset == nil else { return }
        // Desktops scroll by a line of text, farther than veryfast's hexagon search: this halves the bytes of a
        // scrolling terminal for the same processor time.
        analyse.i_me_method = X264_ME_UMH
        analyse.i_me_range = 32
    }

    /// BT.709 (ITU-T H.264, E.2.1), as in the conversion and in the file's colr box.
    private mutating func setColour(_ colour: ColourFormat) {
        vui.b_fullrange = colour.isFullRange ? 1 : 0
        vui.i_colorprim = 1
        vui.i_transfer = 1
        vui.i_colmatrix = 1
        // Each chroma sample is the mean of four pixels, so it lies in their middle (ITU-T H.264, figure E-1: type 1).
        vui.i_chroma_loc = colour.chroma == .yuv420 ? 1 : 0
        // x264 raises the chroma quantizer of 4:4:4 by six, which would lose the detail for which 4:4:4 is chosen.
        if colour.chroma == .yuv444, analyse.b_psy != 0 { analyse.i_chroma_qp_offset -= 6 }
        vui.i_sar_width = 1
        vui.i_sar_height = 1
    }

    private mutating func setRate(_ settings: VideoEncoderSettings) {
        if let peak = settings.peak { setPeak(peak, nominalFrameRate: settings.nominalFrameRate) }
        switch settings.rateControl {
        case .constantQuantizer(let quantizer) where settings.peak != nil:
            // A constant quantizer has no limit. A constant rate factor without adaptive quantizers has one.
            rc.i_rc_method = Int32(X264_RC_CRF)
            rc.f_rf_constant = Float(max(1, quantizer))
            // Otherwise a still screen would get a finer quantizer with each frame, and be coded anew each time: x264
            // ignores mb_info after the quantizer has dropped.
            rc.f_qcompress = 1
            rc.i_aq_mode = Int32(X264_AQ_NONE)
        case .constantQuantizer(let quantizer):
            rc.i_rc_method = Int32(X264_RC_CQP)
            rc.i_qp_constant = Int32(max(1, quantizer))  // 0 is lossless, which High profile does not support
            // Fine quantizers leave no visible block edges: the filter would cost a twentieth of the time and soften
            // text, for about one per cent of the bytes.
            if settings.preset == nil { b_deblocking_filter = quantizer > Self.finestDeblocked ? 1 : 0 }
        case .averageBitrate(let bits):
            rc.i_rc_method = Int32(X264_RC_ABR)
            setAverage(bits, peak: settings.peak)
        }
    }

    mutating func setAverage(_ bits: Int, peak: VideoEncoderSettings.Peak?) {
        rc.i_bitrate = Self.kilobits(min(bits, peak?.bitrate ?? bits))
    }

    /// Each frame, even a keyframe, must fit into half a second of the peak, so that no frame takes longer on such a
    /// network.
    mutating func setPeak(_ peak: VideoEncoderSettings.Peak, nominalFrameRate: Int) {
        rc.i_vbv_max_bitrate = Self.kilobits(peak.bitrate)
        let buffer = rc.i_vbv_max_bitrate / Int32(min(2, max(1, nominalFrameRate)))
        // Three quarters of the largest access unit, because x264 only estimates limits.
        let largest = peak.accessUnit.map { Int32(clamping: $0 * 8 / 1000 * 3 / 4) }
        rc.i_vbv_buffer_size = max(1, min(buffer, largest ?? .max))
    }

    mutating func scalePeak(by factor: Int) {
        rc.i_vbv_max_bitrate = Int32(clamping: min(Int(rc.i_vbv_max_bitrate) * factor, Self.largestKilobits))
    }

    /// For a repeated frame that only gets sharper: nothing has moved, and a motion search would take most of the time.
    mutating func searchLittle() {
        analyse.i_me_method = X264_ME_DIA
        analyse.i_me_range = 4
        analyse.i_subpel_refine = min(1, analyse.i_subpel_refine)
    }

    private static func kilobits(_ bits: Int) -> Int32 { Int32(max(1, min(bits / 1000, largestKilobits))) }
}

extension ColourFormat.Chroma {
    fileprivate var x264: Int32 {
        switch self {
        case .yuv420: X264_CSP_I420
        case .yuv444: X264_CSP_I444
        }
    }
}

extension ColourFormat {
    /// The highest profile, by x264's name.
    fileprivate var profile: String {
        switch chroma {
        case .yuv420: "high"
        case .yuv444: "high444"
        }
    }
}

extension x264_picture_t {
    init(_ frame: PlanarFrame, ticks: Int64, isKeyframe: Bool) {
        self.init()
        x264_picture_init(&self)
        img.i_csp = frame.colour.chroma.x264
        img.i_plane = 3
        img.plane = (frame.y, frame.u, frame.v, nil)
        let chroma = Int32(frame.chromaStride)
        img.i_stride = (Int32(frame.lumaStride), chroma, chroma, 0)
        i_pts = ticks
        i_type = isKeyframe ? X264_TYPE_IDR : X264_TYPE_AUTO
    }
}
