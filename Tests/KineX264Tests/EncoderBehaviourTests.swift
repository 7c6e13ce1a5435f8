// The promises of the protocol, kept by every H.264 encoder.
import CodecTesting
import CoreTesting
import KineCodecs
import KineMedia
import KineX264
import Testing

/// The encoders that an app can choose from.
enum EncoderLibrary: CaseIterable {
    case x264
    case openH264

    func open(_ settings: VideoEncoderSettings) throws -> any VideoEncoder {
        switch self {
        case .x264: try X264Encoder(settings)
        case .openH264: try OpenH264Encoder(settings)
        }
    }
}

@Suite struct EncoderBehaviourTests {
    private static let size = PixelSize(width: 326, height: 198)

    private func settings(
        _ rateControl: VideoEncoderSettings.RateControl = .constantQuantizer(23), size: PixelSize = size,
        peak: Int? = nil, keyframeFrames: Int? = nil, threads: Int = 1
    ) -> VideoEncoderSettings {
        VideoEncoderSettings(
            size: size, rateControl: rateControl, peak: peak.map { .init(bitrate: $0) }, nominalFrameRate: 30,
            keyframeFrames: keyframeFrames, threads: threads)
    }

    private func text(_ size: PixelSize = size, seed: UInt64) -> TestFrame {
        var generator = SeededGenerator(seed: seed)
        let frame = TestFrame(size: size)
        frame.write(PixelRect(size: size), using: &generator)
        return frame
    }

    @Test(arguments: EncoderLibrary.allCases)
    func `the parameter sets promise no reordering, one reference, and BT.709 in limited range`(
        library: EncoderLibrary
    ) throws {
        let sets = try SequenceParameters(library.open(settings()).h264Sets().sequence)
        #expect(sets.profile == (library == .x264 ? 100 : 66))
        #expect(sets.referenceFrames == 1)
        #expect(sets.size == Self.size)
        #expect(!sets.isFullRange && sets.colour == [1, 1, 1])
        #expect(sets.chromaLocation == [1, 1])  // the middle of four pixels
        #expect(sets.reorderedFrames == 0)
        #expect(try #require(sets.bufferedFrames) <= 1)
    }

    @Test(arguments: EncoderLibrary.allCases)
    func `keyframes are IDR frames, the first and those that are asked for`(library: EncoderLibrary) throws {
        let encoder = try library.open(settings())
        let sets = try encoder.h264Sets()
        for index in 0..<30 {
            let sample = try text(seed: UInt64(index)).lend {
                try encoder.sample(
                    of: $0, at: .milliseconds(Int64(index) * 33), forceKeyframe: index == 20 || index == 21)
            }
            let isKeyframe = index == 0 || index == 20 || index == 21
            #expect(sample.isKeyframe == isKeyframe)
            // The lengths fill the bytes, and nothing but slices is in them.
            #expect(try networkUnits(sample).map { $0[0] & 31 } == [isKeyframe ? 5 : 1])
            #expect(sample.type == .video)
        }
        #expect(try encoder.h264Sets() == sets)
    }

    @Test(arguments: EncoderLibrary.allCases)
    func `no more frames than were asked for stand between keyframes`(library: EncoderLibrary) throws {
        let encoder = try library.open(settings(keyframeFrames: 8))
        let frame = text(seed: 4)
        let keyframes = try (0..<25).map { index in
            try encoder.sample(
                of: frame.planes, at: .milliseconds(Int64(index) * 33), forceKeyframe: index == 11
            ).isKeyframe
        }
        #expect(keyframes.indices.filter { keyframes[$0] } == [0, 8, 11, 19])
    }

    @Test(arguments: EncoderLibrary.allCases, [1, 3])
    func `random damage never leaves a stale block`(library: EncoderLibrary, threads: Int) throws {
        let encoder = try library.open(settings(threads: threads))
        let worst = try encoder.worstTile(of: 80, interval: 40, seed: 7, isKeyframe: { $0 % 37 == 0 }) {
            index, frame, generator in
            // Now and then nothing changes at all: a repeat.
            (0..<Int.random(in: 0...2, using: &generator)).map { _ in
                let rect = frame.randomRect(using: &generator)
                return index % 3 > 0 ? PixelRect(x: rect.x, y: rect.y, width: 8, height: 12) : rect
            }
        }
        // A block that stayed behind has less than 20 decibels.
        #expect(worst > 30)
    }

    @Test(arguments: EncoderLibrary.allCases)
    func `an average bitrate leaves no stale block either`(library: EncoderLibrary) throws {
        let encoder = try library.open(settings(.averageBitrate(3_000_000)))
        let worst = try encoder.worstTile(of: 90, interval: 33, seed: 9, isKeyframe: { $0 % 30 == 0 }) {
            _, frame, generator in
            let rect = frame.randomRect(using: &generator)
            return [PixelRect(x: rect.x, y: rect.y, width: 24, height: 16)]
        }
        #expect(worst > 26)
    }

    /// Sizes that are no multiple of a macroblock are cropped.
    @Test(
        .tags(.slow), arguments: EncoderLibrary.allCases,
        [
            PixelSize(width: 16, height: 16), PixelSize(width: 18, height: 34), PixelSize(width: 640, height: 360),
            PixelSize(width: 1366, height: 770),
        ])
    func `a frame comes back as it was given, at once`(library: EncoderLibrary, size: PixelSize) throws {
        let encoder = try library.open(settings(.constantQuantizer(20), size: size))
        let sets = try encoder.h264Sets()
        let others = try TestDecoder(sets)
        let decoder = try H264Decoder(sets, threads: 1)
        for index in 0..<3 {
            let frame = text(size, seed: UInt64(size.area + index))
            let sample = try encoder.sample(of: frame.planes, at: .seconds(Double(index)))
            let decoded = try others.decode(sample)
            #expect(decoded.size == size)
            #expect(frame.worstTile(of: decoded) > 29)
            var sizes: [PixelSize] = []
            try decoder.decode(sample.data) { sizes.append($0.size) }
            #expect(sizes == [size], "the decoder holds a frame back")
            // The same as a byte stream, which a decoder needs nothing else for.
            let stream = try AnnexB.bytes(from: sample.data, prepending: sets)
            #expect(try AnnexB.lengthPrefixed(stream).suffix(sample.data.count).elementsEqual(sample.data))
        }
    }

    @Test(.tags(.slow), arguments: EncoderLibrary.allCases)
    func `a new bitrate holds from the next frames on, without a keyframe`(library: EncoderLibrary) throws {
        let encoder = try library.open(settings(.averageBitrate(10_000_000), peak: 10_000_000))
        let sets = try encoder.h264Sets()
        let frames = (0..<6).map { text(seed: $0) }
        var number = 0
        func bytes(_ count: Int) throws -> Int {
            try (0..<count).reduce(0) { sum, _ in
                number += 1
                let sample = try encoder.sample(
                    of: frames[number % 6].planes, at: MediaTime(ticks: Int64(number), timescale: 30))
                #expect(sample.isKeyframe == (number == 1))
                return sum + sample.data.count
            }
        }
        _ = try bytes(30)
        let before = try bytes(60)
        #expect(encoder.setPeak(.init(bitrate: 5_000_000)))
        #expect(encoder.settings.peak?.bitrate == 5_000_000)
        _ = try bytes(30)
        let reduced = try bytes(60)
        #expect(encoder.setPeak(.init(bitrate: 10_000_000)))
        _ = try bytes(30)
        let after = try bytes(60)
        #expect(reduced * 3 < before * 2 && reduced * 3 < after * 2, "\(before), \(reduced), \(after) bytes")
        #expect(before * 4 < 12_500_000 && reduced * 4 < 6_250_000, "\(before), \(reduced) bytes in two seconds")
        #expect(try encoder.h264Sets() == sets)
    }

    @Test(arguments: EncoderLibrary.allCases)
    func `an encoder that was opened without a peak gets none`(library: EncoderLibrary) throws {
        #expect(!(try library.open(settings())).setPeak(.init(bitrate: 100_000)))
    }

    @Test(.tags(.slow), arguments: EncoderLibrary.allCases)
    func `a quantizer with a peak is the finest there is, and the peak holds`(library: EncoderLibrary) throws {
        let frames = (0..<6).map { text(seed: $0) }
        func bytes(_ peak: Int?) throws -> Int {
            let encoder = try library.open(settings(.constantQuantizer(26), peak: peak))
            return try (0..<120).reduce(0) { sum, number in
                let sample = try encoder.sample(
                    of: frames[number % 6].planes, at: MediaTime(ticks: Int64(number), timescale: 30))
                return number < 60 ? 0 : sum + sample.data.count
            }
        }
        let free = try bytes(nil)
        #expect(try bytes(1_000_000_000) <= free * 21 / 20)
        #expect(try bytes(1_500_000) * 4 < 1_500_000 * 5 / 4)
    }

    @Test(arguments: EncoderLibrary.allCases)
    func `frames of one instant, or out of order, get times that rise`(library: EncoderLibrary) throws {
        let encoder = try library.open(settings())
        let frame = TestFrame(size: Self.size)
        var last: MediaTime?
        for milliseconds: Int64 in [0, 0, 0, 40, 40, 20, 80] {
            let sample = try encoder.sample(of: frame.planes, at: .milliseconds(milliseconds))
            if let last { #expect(sample.presentationTime > last) }
            last = sample.presentationTime
        }
        #expect(last == .milliseconds(80))
    }

    @Test func `encoders that take over from each other make one stream`() throws {
        try checkSuccession(X264Encoder.self)
        try checkSuccession(OpenH264Encoder.self)
    }

    /// The bitrate goes from one that raises the level to one that lowers it.
    private func checkSuccession<Encoder: VideoEncoder>(_ type: Encoder.Type) throws {
        let first = try Encoder(settings(.averageBitrate(100_000_000), peak: 100_000_000), continuing: nil)
        let sets = try first.h264Sets()
        let decoder = try TestDecoder(sets)
        let frame = text(seed: 3)
        var last: EncodedSample?
        func encode(_ encoder: Encoder) throws {
            // The same instant again for the first: it must not be taken twice.
            for index in 0..<3 {
                let time = (last?.presentationTime ?? .zero) + .milliseconds(Int64(index) * 33)
                let sample = try encoder.sample(of: frame.planes, at: time, forceKeyframe: index == 0)
                #expect(try decoder.decode(sample).size == Self.size)
                if let last { #expect(sample.presentationTime > last.presentationTime) }
                last = sample
            }
        }
        try encode(first)
        let second = try Encoder(settings(.averageBitrate(1_500_000), peak: 1_500_000), continuing: first)
        let continued = try second.h264Sets()
        #expect(continued == sets)
        try encode(second)
        first.follow(second)
        try encode(first)
    }

    @Test(arguments: EncoderLibrary.allCases)
    func `a size that H.264 cannot have is refused with a sentence`(library: EncoderLibrary) {
        let error = #expect(throws: VideoEncoderError.self) {
            try library.open(settings(size: PixelSize(width: 0, height: 16)))
        }
        #expect(error?.description.contains("0×16") == true)
    }
}
