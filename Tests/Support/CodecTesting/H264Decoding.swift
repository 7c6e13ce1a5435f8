// H.264 as others understand it: libavcodec's decoder, and a reading of the sequence parameter set.
import CFFmpeg
import CoreTesting
import KineCodecs
import KineMedia
import Testing

/// libavcodec's decoder, fed with access units as encoders give them.
package final class TestDecoder {
    private var context: UnsafeMutablePointer<AVCodecContext>?
    private var frame: UnsafeMutablePointer<AVFrame>?

    package init(_ sets: H264ParameterSets) throws {
        let codec = try #require(avcodec_find_decoder_by_name("h264"))
        context = avcodec_alloc_context3(codec)
        frame = av_frame_alloc()
        let decoder = try #require(context)
        // Start codes, so that libavcodec's own reading of the MP4 sample entry has no part in it.
        let header: [UInt8] = [0, 0, 0, 1] + sets.sequence + [0, 0, 0, 1] + sets.picture
        let data = try #require(av_mallocz(header.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)))
        data.copyMemory(from: header, byteCount: header.count)
        decoder.pointee.extradata = data.assumingMemoryBound(to: UInt8.self)
        decoder.pointee.extradata_size = Int32(header.count)
        decoder.pointee.thread_count = 1
        try #require(avcodec_open2(decoder, codec, nil) >= 0)
    }

    deinit {
        avcodec_free_context(&context)
        av_frame_free(&frame)
    }

    /// The frame of one access unit. A decoder that holds the frame back makes the test fail.
    package func decode(_ sample: EncodedSample) throws -> TestFrame {
        let decoder = try #require(context)
        let frame = try #require(frame)
        var packet = av_packet_alloc()
        defer { av_packet_free(&packet) }
        let bytes: [UInt8] = try networkUnits(sample).flatMap { (unit: [UInt8]) -> [UInt8] in [0, 0, 0, 1] + unit }
        try #require(av_new_packet(packet, Int32(bytes.count)) >= 0)
        try #require(packet?.pointee.data).update(from: bytes, count: bytes.count)
        try #require(avcodec_send_packet(decoder, packet) >= 0)
        try #require(avcodec_receive_frame(decoder, frame) >= 0, "the decoder waits for more before it shows a picture")
        defer { av_frame_unref(frame) }
        #expect(frame.pointee.decode_error_flags == 0)
        let size = PixelSize(width: Int(frame.pointee.width), height: Int(frame.pointee.height))
        let formats: [Int32: ColourFormat.Chroma] = [
            AV_PIX_FMT_YUV420P.rawValue: .yuv420, AV_PIX_FMT_YUVJ420P.rawValue: .yuv420,
            AV_PIX_FMT_YUV444P.rawValue: .yuv444, AV_PIX_FMT_YUVJ444P.rawValue: .yuv444,
        ]
        let colour = ColourFormat(
            chroma: try #require(formats[frame.pointee.format]),
            isFullRange: frame.pointee.color_range == AVCOL_RANGE_JPEG)
        let copied = TestFrame(size: size, colour: colour)
        let (width, height) = (colour.chroma.samples(of: size.width), colour.chroma.samples(of: size.height))
        func copy(
            _ source: UnsafeMutablePointer<UInt8>?, _ stride: Int32, _ target: UnsafeMutablePointer<UInt8>,
            _ width: Int,
            _ height: Int
        ) throws {
            let source = try #require(source)
            for row in 0..<height { (target + row * width).update(from: source + row * Int(stride), count: width) }
        }
        let (data, strides) = (frame.pointee.data, frame.pointee.linesize)
        try copy(data.0, strides.0, copied.planes.y, size.width, size.height)
        try copy(data.1, strides.1, copied.planes.u, width, height)
        try copy(data.2, strides.2, copied.planes.v, width, height)
        return copied
    }
}

extension VideoEncoder {
    /// Encodes one frame with an encoder that holds none back.
    package func sample(
        of frame: PlanarFrame, changed: DamageRegion? = nil, at time: MediaTime, forceKeyframe: Bool = false
    ) throws -> EncodedSample {
        var samples: [EncodedSample] = []
        try encode(
            frame, changed: changed ?? .full(size: frame.size), at: time, forceKeyframe: forceKeyframe
        ) { output in
            if case .sample(let sample) = output { samples.append(sample) }
        }
        try #require(samples.count == 1, "one frame in, one access unit out")
        return samples[0]
    }

    /// The parameter sets of an encoder that has them from the start.
    package func h264Sets() throws -> H264ParameterSets {
        guard case .h264(let sets) = format?.parameterSets else { throw MissingParameterSets() }
        return sets
    }

    /// Encodes and decodes `count` frames: text, and in each the rectangles that `change` returns written anew. Returns the
    /// worst tile of all frames, in decibels.
    package func worstTile(
        of count: Int, interval: Int64, seed: UInt64, isKeyframe: (Int) -> Bool,
        change: (Int, TestFrame, inout SeededGenerator) -> [PixelRect]
    ) throws -> Double {
        let decoder = try TestDecoder(h264Sets())
        var generator = SeededGenerator(seed: seed)
        let frame = TestFrame(size: settings.size, colour: settings.colour)
        frame.write(PixelRect(size: frame.size), using: &generator)
        var worst = 99.0
        for index in 0..<count {
            var changed = index == 0 ? DamageRegion.full(size: frame.size) : DamageRegion(size: frame.size)
            for rect in change(index, frame, &generator) {
                frame.write(rect, using: &generator)
                changed.insert(rect)
            }
            let encoded = try sample(
                of: frame.planes, changed: changed, at: .milliseconds(Int64(index) * interval),
                forceKeyframe: isKeyframe(index))
            let decoded = try decoder.decode(encoded)
            #expect(decoded.planes.colour == settings.colour)
            worst = min(worst, frame.worstTile(of: decoded))
        }
        return worst
    }
}

/// An encoder that should have had its parameter sets from the start.
private struct MissingParameterSets: Error {}

/// The NAL units of a sample, whose lengths must fill it exactly (ISO/IEC 14496-15, 5.3.2).
package func networkUnits(_ sample: EncodedSample) throws -> [[UInt8]] {
    var units: [[UInt8]] = []
    var index = 0
    while index < sample.data.count {
        try #require(index + 4 <= sample.data.count)
        let length = sample.data[index..<index + 4].reduce(0) { $0 << 8 | Int($1) }
        try #require(length > 0 && index + 4 + length <= sample.data.count)
        units.append(Array(sample.data[index + 4..<index + 4 + length]))
        index += 4 + length
    }
    return units
}
