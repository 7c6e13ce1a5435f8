// Resamples audio by libswresample: from a device's real rate, by its own clock, to the track's rate.
import CFFmpeg

/// Converts interleaved float samples to another rate, with an adjustable stretch. Not Sendable.
public final class AudioResampler {
    public enum Error: Swift.Error, Equatable {
        /// libswresample is not installed.
        case missing
        /// The library does not convert between these rates; `code` is libavutil's.
        case refused(from: Int, to: Int, code: Int32)
    }

    private let outputRate: Int
    private let channels: Int
    /// Input frames that libswresample has converted.
    public private(set) var convertedFrames: Int64 = 0

    private var context: OpaquePointer?
    /// The fraction by which the output is longer than the rates give.
    private var stretch = 0.0
    private var room: [Float] = []

    /// Output samples over which a compensation is spread. With this many, a millionth is still several samples.
    private static let compensationDistance = 4_000_000

    public init(inputRate: Int, outputRate: Int, channels: Int) throws(Error) {
        guard kine_load_ffmpeg() != 0 else { throw .missing }
        self.outputRate = outputRate
        self.channels = channels
        var layout = AVChannelLayout()
        av_channel_layout_default(&layout, Int32(clamping: channels))
        var context: OpaquePointer?
        let status = withUnsafeMutablePointer(to: &layout) { layout in
            swr_alloc_set_opts2(
                &context, layout, AV_SAMPLE_FMT_FLT, Int32(clamping: outputRate), layout, AV_SAMPLE_FMT_FLT,
                Int32(clamping: inputRate), 0, nil)
        }
        self.context = context
        guard status >= 0, let context else { throw .refused(from: inputRate, to: outputRate, code: status) }
        let object = UnsafeMutableRawPointer(context)
        // Equal rates also need the resampler, for the stretch. Interpolation between its phases avoids noise then.
        av_opt_set_int(object, "flags", Int64(SWR_FLAG_RESAMPLE), 0)
        av_opt_set_int(object, "linear_interp", 1, 0)
        let initialized = swr_init(context)
        guard initialized >= 0 else { throw .refused(from: inputRate, to: outputRate, code: initialized) }
    }

    deinit { swr_free(&context) }

    /// Output samples in the converter, with a fraction.
    public var delay: Double {
        // In 256ths of an output sample, because libswresample returns whole numbers.
        Double(swr_get_delay(context, Int64(outputRate) * 256)) / 256
    }

    /// Stretches the output by this fraction (300e-6 for a device whose clock is 300 ppm slow).
    public func setStretch(_ value: Double) {
        stretch = value
        let delta = Int32((value * Double(Self.compensationDistance)).rounded())
        swr_set_compensation(context, delta, Int32(Self.compensationDistance))
    }

    /// Discards the samples in the converter, so that none from before a gap is output after it.
    public func reset() {
        swr_init(context)
        setStretch(stretch)
    }

    /// Converts interleaved samples. `deliver` borrows the interleaved output for the call.
    public func convert(interleaved: Span<Float>, deliver: (Span<Float>) -> Void) {
        let frames = interleaved.count / channels
        guard frames > 0 else { return }
        convertedFrames += Int64(frames)
        let capacity = Int(swr_get_out_samples(context, Int32(clamping: frames))) + 32
        if room.count < capacity * channels { room = [Float](repeating: 0, count: capacity * channels) }
        let produced = room.withUnsafeMutableBytes { output in
            interleaved.withUnsafeBytes { input in
                var outputPlane = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
                var inputPlane = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
                return withUnsafeMutablePointer(to: &outputPlane) { out in
                    withUnsafeMutablePointer(to: &inputPlane) { source in
                        swr_convert(
                            context, out, Int32(clamping: capacity), UnsafeMutablePointer(source),
                            Int32(clamping: frames))
                    }
                }
            }
        }
        guard produced > 0 else { return }
        room.withUnsafeBufferPointer { deliver($0.extracting(0..<Int(produced) * channels).span) }
    }
}
