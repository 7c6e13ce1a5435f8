// H.264 as others understand it: libavcodec's decoder, and a reading of the sequence parameter set.
import CFFmpeg
import CoreTesting
import KineCodecs
import KineMedia
import Testing

/// libavcodec's decoder, fed with access units as `X264Encoder` gives them.
final class TestDecoder {
    private var context: UnsafeMutablePointer<AVCodecContext>?
    private var frame: UnsafeMutablePointer<AVFrame>?

    init(_ sets: H264ParameterSets) throws {
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
    func decode(_ sample: EncodedSample) throws -> TestFrame {
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
        let copied = TestFrame(size: size)
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
        try copy(data.1, strides.1, copied.planes.u, size.width / 2, size.height / 2)
        try copy(data.2, strides.2, copied.planes.v, size.width / 2, size.height / 2)
        return copied
    }
}

extension X264Encoder {
    /// Encodes and decodes `count` frames: text, and in each the rectangles that `change` returns written anew. Returns the
    /// worst tile of all frames, in decibels.
    func worstTile(
        of count: Int, interval: Int64, seed: UInt64, isKeyframe: (Int) -> Bool,
        change: (Int, TestFrame, inout SeededGenerator) -> [PixelRect]
    ) throws -> Double {
        let decoder = try TestDecoder(h264ParameterSets)
        var generator = SeededGenerator(seed: seed)
        let frame = TestFrame(size: settings.size)
        frame.write(PixelRect(size: frame.size), using: &generator)
        var worst = 99.0
        for index in 0..<count {
            var changed = index == 0 ? DamageRegion.full(size: frame.size) : DamageRegion(size: frame.size)
            for rect in change(index, frame, &generator) {
                frame.write(rect, using: &generator)
                changed.insert(rect)
            }
            let sample = try encode(
                frame.planes, changed: changed, at: .milliseconds(Int64(index) * interval),
                forceKeyframe: isKeyframe(index))
            worst = min(worst, frame.worstTile(of: try decoder.decode(sample)))
        }
        return worst
    }
}

/// The NAL units of a sample, whose lengths must fill it exactly (ISO/IEC 14496-15, 5.3.2).
func networkUnits(_ sample: EncodedSample) throws -> [[UInt8]] {
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

/// The sequence parameter set as a decoder reads it (ITU-T H.264, 7.3.2.1.1 and E.1.1).
struct SequenceParameters {
    var profile = 0
    var referenceFrames = 0
    var size = PixelSize(width: 0, height: 0)
    var isFullRange = true
    /// Primaries, transfer and matrix.
    var colour: [Int] = []
    /// The places of the chroma samples, of both fields.
    var chromaLocation: [Int] = []
    var reorderedFrames: Int?
    var bufferedFrames: Int?

    init(_ unit: [UInt8]) throws {
        var bits = BitReader(unit)
        try #require(bits.read(8) & 31 == 7)
        profile = bits.read(8)
        _ = bits.read(16)
        _ = bits.golomb()
        try #require(bits.golomb() == 1, "4:2:0")
        _ = (bits.golomb(), bits.golomb(), bits.read(1))
        try #require(bits.read(1) == 0, "no scaling matrices")
        _ = bits.golomb()
        if bits.golomb() == 0 { _ = bits.golomb() }
        referenceFrames = bits.golomb()
        _ = bits.read(1)
        let (columns, rows) = (bits.golomb() + 1, bits.golomb() + 1)
        try #require(bits.read(1) == 1, "frames only")
        _ = bits.read(1)
        var crop = [0, 0, 0, 0]
        if bits.read(1) == 1 { for index in crop.indices { crop[index] = bits.golomb() } }
        size = PixelSize(width: columns * 16 - 2 * (crop[0] + crop[1]), height: rows * 16 - 2 * (crop[2] + crop[3]))
        guard bits.read(1) == 1 else { return }
        if bits.read(1) == 1, bits.read(8) == 255 { _ = bits.read(32) }
        if bits.read(1) == 1 { _ = bits.read(1) }
        if bits.read(1) == 1 {
            _ = bits.read(3)
            isFullRange = bits.read(1) == 1
            if bits.read(1) == 1 { colour = [bits.read(8), bits.read(8), bits.read(8)] }
        }
        if bits.read(1) == 1 { chromaLocation = [bits.golomb(), bits.golomb()] }
        if bits.read(1) == 1 { _ = (bits.read(32), bits.read(32), bits.read(1)) }
        try #require(bits.read(2) == 0, "no buffering model")
        _ = bits.read(1)
        guard bits.read(1) == 1 else { return }
        _ = (bits.read(1), bits.golomb(), bits.golomb(), bits.golomb(), bits.golomb())
        reorderedFrames = bits.golomb()
        bufferedFrames = bits.golomb()
    }

    private struct BitReader {
        private let bytes: [UInt8]
        private var position = 0

        /// Leaves out the bytes that keep start codes from appearing (ITU-T H.264, 7.4.1).
        init(_ unit: [UInt8]) {
            var zeros = 0
            bytes = unit.filter { byte in
                if zeros >= 2, byte == 3 {
                    zeros = 0
                    return false
                }
                zeros = byte == 0 ? zeros + 1 : 0
                return true
            }
        }

        mutating func read(_ count: Int) -> Int {
            var value = 0
            for _ in 0..<count {
                let byte = position / 8 < bytes.count ? bytes[position / 8] : 0
                value = value << 1 | Int(byte >> UInt8(7 - position % 8) & 1)
                position += 1
            }
            return value
        }

        /// An unsigned Exp-Golomb code (9.1).
        mutating func golomb() -> Int {
            var zeros = 0
            while zeros < 32, read(1) == 0 { zeros += 1 }
            return (1 << zeros) - 1 + read(zeros)
        }
    }
}
