// One encoder of libopenh264, by its C interface: a table of methods, and an output that it owns until the next call.
import COpenH264
import KineMedia

/// Owns the library's encoder. Not thread-safe.
final class OpenH264Library {
    /// One frame's NAL units without parameter sets, each with a four-byte length before it.
    struct AccessUnit {
        var data: [UInt8]
        /// The number of an IDR frame among its encoder's, which determines idr_pic_id (ITU-T H.264, 7.4.3); nil for
        /// other frames.
        var idrNumber: Int?
    }

    private let encoder: UnsafeMutablePointer<ISVCEncoder?>
    private let info: UnsafeMutablePointer<SFrameBSInfo>
    private var idrFrames = 0
    private var averageBitrate: Int32 = 0

    init?(_ settings: VideoEncoderSettings) {
        var made: UnsafeMutablePointer<ISVCEncoder?>?
        guard WelsCreateSVCEncoder(&made) == 0, let encoder = made else { return nil }
        self.encoder = encoder
        info = .allocate(capacity: 1)
        info.initialize(to: SFrameBSInfo())
        // The errors thrown contain all that the library would write to standard error.
        var silence = WELS_LOG_QUIET
        _ = encoder.pointee?.pointee.SetOption(encoder, ENCODER_OPTION_TRACE_LEVEL, &silence)
        var parameters = SEncParamExt()
        guard encoder.pointee?.pointee.GetDefaultParams(encoder, &parameters) == 0 else { return nil }
        parameters.apply(settings)
        averageBitrate = parameters.iTargetBitrate
        guard encoder.pointee?.pointee.InitializeExt(encoder, &parameters) == 0 else { return nil }
    }

    deinit {
        _ = encoder.pointee?.pointee.Uninitialize(encoder)
        WelsDestroySVCEncoder(encoder)
        info.deallocate()
    }

    /// The parameter sets of all frames; nil if the library fails.
    func parameterSets() -> H264ParameterSets? {
        info.pointee = SFrameBSInfo()
        guard encoder.pointee?.pointee.EncodeParameterSets(encoder, info) == 0 else { return nil }
        var (sequence, picture): ([UInt8]?, [UInt8]?)
        forEachUnit { unit in
            if Self.type(unit) == Self.sequenceSet { sequence = Array(unit) }
            if Self.type(unit) == Self.pictureSet { picture = Array(unit) }
        }
        guard let sequence, let picture else { return nil }
        return H264ParameterSets(sequence: ChromaLocationSPS.insertingMiddle(sequence), picture: picture)
    }

    /// Sets the next frames' bitrates, in bits a second. False if the library refuses: the level does not allow them.
    func setBitrate(average: Int32, highest: Int32) -> Bool {
        func set(_ option: ENCODER_OPTION, _ bits: Int32) -> Bool {
            var rate = SBitrateInfo(iLayer: SPATIAL_LAYER_ALL, iBitrate: bits)
            return encoder.pointee?.pointee.SetOption(encoder, option, &rate) == 0
        }
        // The average may never exceed the highest.
        let isDone =
            average > averageBitrate
            ? set(ENCODER_OPTION_MAX_BITRATE, highest) && set(ENCODER_OPTION_BITRATE, average)
            : set(ENCODER_OPTION_BITRATE, average) && set(ENCODER_OPTION_MAX_BITRATE, highest)
        if isDone { averageBitrate = average }
        return isDone
    }

    /// Encodes one frame; reads its planes only until this returns. Throws the library's code and cannot encode any
    /// more if the frame has more bytes than the library has room for, which is one for each pixel.
    func encode(
        _ frame: PlanarFrame, milliseconds: Int64, isKeyframe: Bool
    ) throws(OpenH264Failure) -> AccessUnit {
        guard let methods = encoder.pointee?.pointee else { throw OpenH264Failure(code: -1) }
        if isKeyframe { _ = methods.ForceIntraFrame(encoder, true) }
        var picture = SSourcePicture()
        picture.iColorFormat = Int32(videoFormatI420.rawValue)
        picture.iPicWidth = Int32(frame.size.width)
        picture.iPicHeight = Int32(frame.size.height)
        let chroma = Int32(frame.chromaStride)
        picture.iStride = (Int32(frame.lumaStride), chroma, chroma, 0)
        picture.pData = (frame.y, frame.u, frame.v, nil)
        picture.uiTimeStamp = milliseconds
        let code = methods.EncodeFrame(encoder, &picture, info)
        guard code == 0 else { throw OpenH264Failure(code: code) }
        var data: [UInt8] = []
        data.reserveCapacity(Int(info.pointee.iFrameSizeInBytes))
        forEachUnit { unit in
            guard Self.type(unit) != Self.sequenceSet, Self.type(unit) != Self.pictureSet else { return }
            // The four-byte start code becomes a four-byte length.
            withUnsafeBytes(of: UInt32(unit.count).bigEndian) { data.append(contentsOf: $0) }
            data.append(contentsOf: unit)
        }
        // A frame that the library skips has no bytes.
        guard !data.isEmpty else { throw OpenH264Failure(code: Int32(info.pointee.eFrameType.rawValue)) }
        guard info.pointee.eFrameType == videoFrameTypeIDR else { return AccessUnit(data: data) }
        defer { idrFrames = (idrFrames + 1) & 0xFFFF }
        return AccessUnit(data: data, idrNumber: idrFrames)
    }

    /// The types of NAL units (ITU-T H.264, table 7-1).
    private static let sequenceSet: UInt8 = 7
    private static let pictureSet: UInt8 = 8

    private static func type(_ unit: UnsafeBufferPointer<UInt8>) -> UInt8 { (unit.first ?? 0) & 31 }

    /// Passes the NAL units of the last output without their four-byte start codes.
    private func forEachUnit(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        for index in 0..<info.pointee.iLayerNum {
            guard let layer = kine_openh264_layer(info, index)?.pointee, var start = layer.pBsBuf else { continue }
            for unit in 0..<Int(layer.iNalCount) {
                let length = Int(layer.pNalLengthInByte[unit])
                if length > 4 { body(UnsafeBufferPointer(start: start + 4, count: length - 4)) }
                start += length
            }
        }
    }
}

/// The library failed on a frame; `code` is its own, or the type of a frame without bytes.
struct OpenH264Failure: Error {
    var code: Int32
}
