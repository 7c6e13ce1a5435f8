// libswresample as a stretching converter: from a device's rate, as the device's clock really runs, to the track's.
import CFFmpeg

/// Converts interleaved float samples from one rate to another, a little faster or slower as asked. Not Sendable.
public final class SoundResampler {
    public enum Error: Swift.Error, Equatable, CustomStringConvertible {
        case refused(from: Int, to: Int)

        public var description: String {
            switch self {
            case .refused(let from, let to):
                "libswresample cannot convert sound from \(from) Hz to \(to) Hz; choose another device or rate."
            }
        }
    }

    public let inputRate: Int
    public let outputRate: Int
    public let channels: Int
    /// Frames that went through libswresample so far.
    public private(set) var convertedFrames: Int64 = 0

    private var context: OpaquePointer?
    /// Of one, how much longer the output is than the rates say.
    private var stretch = 0.0
    private var room: [Float] = []

    /// Output samples over which a compensation is spread: long, so that a thousandth of a per mille is still a whole
    /// sample, and renewed long before it ends.
    private static let compensationDistance = 4_000_000

    public init(inputRate: Int, outputRate: Int, channels: Int) throws(Error) {
        self.inputRate = inputRate
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
        guard status >= 0, let context else { throw .refused(from: inputRate, to: outputRate) }
        let object = UnsafeMutableRawPointer(context)
        // Equal rates need the resampler too, for the stretch; interpolation between its phases makes that free of
        // noise.
        av_opt_set_int(object, "flags", Int64(SWR_FLAG_RESAMPLE), 0)
        av_opt_set_int(object, "linear_interp", 1, 0)
        guard swr_init(context) >= 0 else { throw .refused(from: inputRate, to: outputRate) }
    }

    deinit { swr_free(&context) }

    /// Samples (of the output's rate, with a fraction) that are in the converter and not yet out.
    public var delay: Double {
        // In 256ths of an output sample: libswresample gives whole numbers of the base it is asked for.
        Double(swr_get_delay(context, Int64(outputRate) * 256)) / 256
    }

    /// Makes the output longer by this part of one (300e-6: a device that runs 300 ppm slow).
    public func setStretch(_ value: Double) {
        stretch = value
        let delta = Int32((value * Double(Self.compensationDistance)).rounded())
        swr_set_compensation(context, delta, Int32(Self.compensationDistance))
    }

    /// Forgets what is in the converter: after a gap nothing of before may come out.
    public func reset() {
        swr_init(context)
        setStretch(stretch)
    }

    /// Converts interleaved samples; `deliver` borrows what came out, interleaved, for the call.
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
