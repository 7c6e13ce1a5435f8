// Encodes frames before or between those of an existing stream, with that stream's parameter sets, so that a decoder
// and a file's sample entry need no change.
import CX264
import KineCodecs
import KineMedia

/// An x264 encoder with the parameter sets of a Kinecast recording. Not thread-safe: one thread encodes.
public final class X264Continuation {
    public enum Error: Swift.Error, Equatable, CustomStringConvertible {
        /// No settings of x264 give these parameter sets: another encoder, or another version, made them.
        case otherEncoder
        /// x264 failed on a frame; `code` is x264's.
        case encodingFailed(code: Int32)

        public var description: String {
            switch self {
            case .otherEncoder:
                "The recording was made by another encoder, or by another version of x264, whose stream cannot be continued; "
                    + "let the excerpt begin at a keyframe."
            case .encodingFailed:
                "The H.264 encoder failed on a frame, most likely because memory is short; close other programs."
            }
        }
    }

    private let handle: OpaquePointer
    private let size: PixelSize
    private let colour: ColourFormat
    private var frames: Int64 = 0

    /// - Parameters:
    ///   - size: of the stream's frames, both sides even.
    ///   - isDeblocked: from the stream's slices; the parameter sets do not tell it.
    ///   - threads: each encodes a slice of a frame.
    public init(_ sets: H264ParameterSets, size: PixelSize, isDeblocked: Bool, threads: Int) throws(Error) {
        guard let sequence = H264SequenceParameters(sets.sequence), let picture = H264PictureParameters(sets.picture),
            var parameters = x264_param_t(sequence, picture, size: size, isDeblocked: isDeblocked, threads: threads),
            let handle = kine_x264_encoder_open(&parameters)
        else { throw .otherEncoder }
        self.handle = handle
        self.size = size
        colour = sequence.colour
        guard X264Encoder.parameterSets(of: handle) == sets else { throw .otherEncoder }
    }

    deinit { x264_encoder_close(handle) }

    /// Encodes one frame and returns its access unit, with four-byte lengths before NAL units. x264 copies the planes.
    /// - Parameter quantizer: 1…51 for the whole frame.
    public func encode(_ frame: PlanarFrame, quantizer: Int, isKeyframe: Bool) throws(Error) -> [UInt8] {
        guard frame.size == size, frame.colour == colour else { throw .otherEncoder }
        var input = x264_picture_t(frame, ticks: frames, isKeyframe: isKeyframe)
        input.i_qpplus1 = Int32(max(1, min(51, quantizer))) + 1
        frames += 1
        var units: UnsafeMutablePointer<x264_nal_t>?
        var count: Int32 = 0
        var output = x264_picture_t()
        let bytes = x264_encoder_encode(handle, &units, &count, &input, &output)
        guard bytes > 0, let first = units else { throw .encodingFailed(code: bytes) }
        // The payloads of one access unit are contiguous.
        return Array(UnsafeBufferPointer(start: first.pointee.p_payload, count: Int(bytes)))
    }
}

extension x264_param_t {
    /// Kinecast's parameters, with the values of a stream's parameter sets instead of a recording's settings.
    fileprivate init?(
        _ sequence: H264SequenceParameters, _ picture: H264PictureParameters, size: PixelSize, isDeblocked: Bool,
        threads: Int
    ) {
        self.init(
            VideoEncoderSettings(
                size: size, colour: sequence.colour, rateControl: .constantQuantizer(Self.middleQuantizer),
                nominalFrameRate: 30, threads: threads, usesMacroblockInfo: false),
            level: Int32(sequence.level))
        i_sps_id = Int32(clamping: sequence.identifier)
        i_fps_num = UInt32(sequence.timeScale)
        i_fps_den = UInt32(clamping: sequence.unitsInTick * 2)
        b_cabac = picture.usesCABAC ? 1 : 0
        analyse.b_transform_8x8 = picture.usesLargeTransform ? 1 : 0
        // x264 derives the offset from its psychovisual settings, which the stream's encoder may have used.
        analyse.b_psy = 0
        analyse.i_chroma_qp_offset = Int32(picture.chromaOffset)
        b_deblocking_filter = isDeblocked ? 1 : 0
        // Each frame has its own quantizer, which x264 limits to those between an I and a B frame's: with these
        // factors, the smallest that x264 accepts, they are 40 above and 40 below a P frame's.
        rc.f_ip_factor = 0.01
        rc.f_pb_factor = 0.01
    }

    private static let middleQuantizer = 26
}
