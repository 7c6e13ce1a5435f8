// AAC by libavcodec's decoder: takes access units, returns their samples, or the peak of these.
import CFFmpeg
import KineMedia

/// Decodes parts of one AAC track. Not Sendable: one thread uses it.
public final class AACDecoder {
    public enum Error: Swift.Error, Equatable {
        /// This build of libavcodec has no AAC decoder.
        case missing
        /// The decoder cannot be opened; `code` is libavutil's.
        case cannotOpen(code: Int32)
    }

    private let decoder: DecoderContext

    /// - Parameter configuration: AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1).
    public init(audioSpecificConfig configuration: [UInt8]) throws(Error) {
        decoder = try DecoderContext(
            "aac", header: configuration, missing: Error.missing, cannotOpen: Error.cannotOpen
        ) { $0.thread_count = 1 }
    }

    /// The largest absolute value, from 0 to 1, of the samples of consecutive access units. The first unit only
    /// prepares the decoder, whose transforms overlap. A damaged unit counts as silence.
    public func peak(of units: [[UInt8]]) -> Float {
        reset()
        var peak: Float = 0
        for (number, unit) in units.enumerated() {
            decode(unit) { if number > 0 { peak = max(peak, Self.peak(of: $0)) } }
        }
        return min(peak, 1)
    }

    /// Forgets the units before: the next one does not follow them.
    public func reset() { avcodec_flush_buffers(decoder.context) }

    /// Decodes an access unit.
    ///
    /// - Parameters:
    ///   - unit: the access unit.
    ///   - count: the samples of each channel that it has.
    ///   - channels: of the samples.
    ///   - samples: gets them at its end, interleaved; silence for a damaged unit, or what channels lack.
    public func decode(_ unit: [UInt8], count: Int, channels: Int, appendingTo samples: inout [Float]) {
        let start = samples.count
        samples.append(contentsOf: repeatElement(0, count: count * channels))
        decode(unit) { frame in
            guard frame.format == AV_SAMPLE_FMT_FLTP.rawValue, let planes = frame.extended_data else { return }
            for channel in 0..<min(channels, Int(frame.ch_layout.nb_channels)) {
                guard let bytes = planes[channel] else { continue }
                let length = min(count, Int(frame.nb_samples))
                bytes.withMemoryRebound(to: Float.self, capacity: length) { plane in
                    for index in 0..<length where plane[index].isFinite {
                        samples[start + index * channels + channel] = plane[index]
                    }
                }
            }
        }
    }

    private func decode(_ unit: [UInt8], _ body: (AVFrame) -> Void) {
        guard unit.count < 1 << 20, let packet = decoder.packet, av_new_packet(packet, Int32(unit.count)) >= 0
        else { return }
        packet.pointee.data.update(from: unit, count: unit.count)
        let code = avcodec_send_packet(decoder.context, packet)
        av_packet_unref(packet)
        guard code >= 0, let frame = decoder.frame else { return }
        while avcodec_receive_frame(decoder.context, frame) >= 0 {
            body(frame.pointee)
            av_frame_unref(frame)
        }
    }

    /// The decoder returns floating point numbers, a plane for each channel.
    private static func peak(of frame: AVFrame) -> Float {
        guard frame.format == AV_SAMPLE_FMT_FLTP.rawValue, let planes = frame.extended_data else { return 0 }
        var peak: Float = 0
        for channel in 0..<Int(frame.ch_layout.nb_channels) {
            guard let bytes = planes[channel] else { continue }
            bytes.withMemoryRebound(to: Float.self, capacity: Int(frame.nb_samples)) { samples in
                for index in 0..<Int(frame.nb_samples) where samples[index].isFinite {
                    peak = max(peak, abs(samples[index]))
                }
            }
        }
        return peak
    }
}
