// Translates Kinecast's settings into OpenH264's parameters.
import COpenH264
import KineMedia

extension SEncParamExt {
    /// Changes the library's defaults to these settings.
    mutating func apply(_ settings: VideoEncoderSettings) {
        setForm(settings)
        setPrediction(settings)
        setRate(settings)
        setColour(settings.colour)
    }

    /// Sets size, times, threads, and the form of access units.
    private mutating func setForm(_ settings: VideoEncoderSettings) {
        iPicWidth = Int32(clamping: settings.size.width)
        iPicHeight = Int32(clamping: settings.size.height)
        fMaxFrameRate = Float(max(1, min(Self.largestFrameRate, settings.nominalFrameRate)))
        sSpatialLayers.0.iVideoWidth = iPicWidth
        sSpatialLayers.0.iVideoHeight = iPicHeight
        sSpatialLayers.0.fFrameRate = fMaxFrameRate
        uiIntraPeriod = UInt32(clamping: settings.keyframeFrames ?? 0)  // 0: only requested keyframes
        // Encoders that continue each other need the same parameter sets.
        eSpsPpsIdStrategy = CONSTANT_ID
        // Each thread encodes a slice.
        let threads = max(1, min(Self.mostThreads, settings.threads))
        iMultipleThreadIdc = UInt16(threads)
        bUseLoadBalancing = false  // it would cut slices by the clock: no two runs would give the same bytes
        sSpatialLayers.0.sSliceArgument.uiSliceMode = threads > 1 ? SM_FIXEDSLCNUM_SLICE : SM_SINGLE_SLICE
        sSpatialLayers.0.sSliceArgument.uiSliceNum = UInt32(threads)
    }

    private mutating func setPrediction(_ settings: VideoEncoderSettings) {
        // The mode for screen content searches for scrolled text, and takes four times as long per frame.
        iUsageType = CAMERA_VIDEO_REAL_TIME
        iNumRefFrame = 1
        // It would make the library insert keyframes at scene cuts; here the caller decides.
        bEnableSceneChangeDetect = false
        // It drops small changes in blocks that it takes for background, such as a caret in a line of text.
        bEnableBackgroundDetection = false
        bEnableAdaptiveQuant = false
        // Arithmetic coding would save a tenth of the bytes, but version 2.3 writes beyond its memory when noise meets
        // a fine quantizer. Without it, High profile has no advantage over Baseline.
        iEntropyCodingModeFlag = 0
        sSpatialLayers.0.uiProfileIdc = PRO_BASELINE
        // The lowest level: the library raises it for size or bitrate, and below level 3 another flag would change.
        sSpatialLayers.0.uiLevelIdc = LEVEL_3_1
        iComplexityMode =
            switch settings.preset {
            case nil, .ultrafast, .superfast, .veryfast, .faster: LOW_COMPLEXITY
            case .fast, .medium: MEDIUM_COMPLEXITY
            case .slow, .slower, .veryslow: HIGH_COMPLEXITY
            }
    }

    private mutating func setRate(_ settings: VideoEncoderSettings) {
        bEnableFrameSkip = false  // one frame in, one access unit out
        iMaxQp = Self.coarsest
        if case .constantQuantizer(let quantizer) = settings.rateControl {
            iMinQp = Int32(max(1, min(Int(Self.coarsest), quantizer)))
        }
        guard let rate = settings.openH264Bitrate else {
            iRCMode = RC_OFF_MODE
            iMaxQp = iMinQp
            sSpatialLayers.0.iDLayerQp = iMinQp
            return
        }
        // Other modes use the clock, and keep the rate by dropping frames.
        iRCMode = RC_BITRATE_MODE
        iTargetBitrate = rate.average
        iMaxBitrate = rate.highest
        sSpatialLayers.0.iSpatialBitrate = rate.average
        sSpatialLayers.0.iMaxSpatialBitrate = rate.highest
    }

    /// BT.709 (ITU-T H.264, E.2.1), square pixels.
    private mutating func setColour(_ colour: ColourFormat) {
        sSpatialLayers.0.bVideoSignalTypePresent = true
        sSpatialLayers.0.uiVideoFormat = UInt8(VF_UNDEF.rawValue)
        sSpatialLayers.0.bFullRange = colour.isFullRange
        sSpatialLayers.0.bColorDescriptionPresent = true
        sSpatialLayers.0.uiColorPrimaries = UInt8(CP_BT709.rawValue)
        sSpatialLayers.0.uiTransferCharacteristics = UInt8(TRC_BT709.rawValue)
        sSpatialLayers.0.uiColorMatrix = UInt8(CM_BT709.rawValue)
        sSpatialLayers.0.bAspectRatioPresent = true
        sSpatialLayers.0.eAspectRatio = ASP_1x1
    }

    private static let coarsest: Int32 = 51
    /// The library's limits.
    private static let largestFrameRate = 60
    private static let mostThreads = 4
}

extension VideoEncoderSettings {
    /// The bits a second to aim at, and the most that may be requested later, from which the library derives the level.
    /// Nil for a quantizer without a limit. A quantizer with a limit is the finest that the rate control may choose.
    var openH264Bitrate: (average: Int32, highest: Int32)? {
        // The largest bitrate of level 5.2, the library's highest (ITU-T H.264, table A-1).
        func rate(_ bits: Int) -> Int32 { Int32(max(1000, min(bits, 240_000_000))) }
        switch rateControl {
        case .constantQuantizer: return peak.map { (rate($0.bitrate), rate($0.bitrate)) }
        case .averageBitrate(let bits):
            return (rate(min(bits, peak?.bitrate ?? bits)), rate(max(bits, peak?.bitrate ?? bits)))
        }
    }
}
