// The effect of a preset on the stream, and the properties that every stream of Kinecast has.
import CX264
import CodecTesting
import CoreTesting
import KineCodecs
import KineMedia
import Testing

@testable import KineX264

@Suite struct PresetTests {
    private static let size = PixelSize(width: 320, height: 192)

    private func settings(
        _ preset: EncoderPreset?, _ rateControl: VideoEncoderSettings.RateControl = .constantQuantizer(23)
    ) -> VideoEncoderSettings {
        VideoEncoderSettings(size: Self.size, rateControl: rateControl, preset: preset, nominalFrameRate: 30)
    }

    /// The options that x264 writes into a stream, in the user data of its first access unit.
    private func options(_ settings: VideoEncoderSettings) throws -> [Substring: Substring] {
        var parameters = try #require(x264_param_t(settings, level: nil))
        let encoder = try #require(kine_x264_encoder_open(&parameters))
        defer { x264_encoder_close(encoder) }
        var units: UnsafeMutablePointer<x264_nal_t>?
        var count: Int32 = 0
        try #require(x264_encoder_headers(encoder, &units, &count) > 0)
        let information = try #require(
            UnsafeBufferPointer(start: units, count: Int(count)).first { $0.i_type == Int32(NAL_SEI.rawValue) })
        let text = String(
            decoding: UnsafeBufferPointer(start: information.p_payload, count: Int(information.i_payload)),
            as: UTF8.self)
        return text.split(separator: " ").reduce(into: [:]) { options, word in
            let pair = word.split(separator: "=", maxSplits: 1)
            if pair.count == 2 { options[pair[0]] = pair[1] }
        }
    }

    /// The entropy coder and the transforms, from the picture parameter set (ITU-T H.264, 7.3.2.2).
    private func frameParameters(_ encoder: X264Encoder) -> (isCABAC: Bool, has8x8Transform: Bool) {
        let unit = EmulationPrevention.removed(from: encoder.h264ParameterSets.picture)
        var bits = BitReader(unit)
        bits.skip(8)
        bits.skipExponentialGolomb(2)  // identifiers
        let isCABAC = bits.readFlag()
        bits.skip(1)
        bits.skipExponentialGolomb(3)  // slice groups, reference indices
        bits.skip(3)  // weighted prediction
        bits.skipExponentialGolomb(3)  // quantizers
        bits.skip(3)
        // Behind that there is either the stop bit, the last one set, or transform_8x8_mode_flag.
        let last = unit.count * 8 - 1 - (unit.last?.trailingZeroBitCount ?? 0)
        return (isCABAC, bits.position < last && bits.readFlag())
    }

    /// The bytes of a screen of text, and of the same scrolled by a line of 24 pixels.
    private func scrolled(_ preset: EncoderPreset?) throws -> [Int] {
        let encoder = try X264Encoder(settings(preset))
        var generator = SeededGenerator(seed: 5)
        let page = TestFrame(size: PixelSize(width: Self.size.width, height: Self.size.height + 24))
        page.write(PixelRect(size: page.size), using: &generator)
        return try [0, 24].map { row in
            let window = page.planes.part(PixelRect(origin: (0, row), size: Self.size))
            return try encoder.encode(
                window, changed: .full(size: Self.size), at: .seconds(Double(row)), forceKeyframe: false
            ).data.count
        }
    }

    @Test func `without a preset the settings are those for text on a desktop`() throws {
        let expected: [Substring: Substring] = [
            "cabac": "1", "ref": "1", "deblock": "0:0:0", "analyse": "0x3:0x113", "me": "umh", "subme": "2",
            "mixed_ref": "0", "me_range": "32", "chroma_me": "1", "trellis": "0", "8x8dct": "1", "fast_pskip": "1",
            "threads": "1", "bframes": "0", "weightp": "0", "keyint": "infinite", "scenecut": "0", "rc": "cqp",
            "qp": "23",
        ]
        let actual = try options(settings(nil))
        #expect(actual.filter { expected[$0.key] != nil } == expected)
        #expect(try options(settings(nil, .constantQuantizer(27)))["deblock"] == "1:0:0")
    }

    @Test(arguments: EncoderPreset.allCases)
    func `a preset is x264's own, but for what keeps delay and idle costs low`(preset: EncoderPreset) throws {
        var own = x264_param_t()
        try #require(x264_param_default_preset(&own, preset.rawValue, nil) == 0)
        for rate in [VideoEncoderSettings.RateControl.constantQuantizer(23), .averageBitrate(2_000_000)] {
            let options = try options(settings(preset, rate))
            for (key, value) in ["bframes": "0", "ref": "1", "weightp": "0", "scenecut": "0"] as [Substring: Substring]
            {
                #expect(options[key] == value, "\(key)")
            }
            #expect(options["cabac"] == "\(own.b_cabac)" && options["trellis"] == "\(own.analyse.i_trellis)")
            #expect(options["8x8dct"] == "\(own.analyse.b_transform_8x8)")
            #expect(options["me_range"] == "\(own.analyse.i_me_range)")
            #expect(options["deblock"]?.first == (own.b_deblocking_filter == 0 ? "0" : "1"))
        }
    }

    @Test func `the fastest preset codes without arithmetic and with small transforms only`() throws {
        let usual = try X264Encoder(settings(nil))
        #expect(frameParameters(usual) == (true, true))
        #expect(try SequenceParameters(usual.h264ParameterSets.sequence).profile == 100)
        let fastest = try X264Encoder(settings(.ultrafast))
        #expect(frameParameters(fastest) == (false, false))
        let payload = EmulationPrevention.removed(from: fastest.h264ParameterSets.sequence)
        #expect(payload[1] == 66, "Baseline")
        let flag = try #require(VariableRateSPS.fixedFrameRateFlag(in: payload))
        #expect(payload[flag >> 3] & (0x80 >> UInt8(flag & 7)) == 0)
    }

    @Test func `without a preset a scrolled line is found, which veryfast does not look for`() throws {
        let (usual, veryfast) = (try scrolled(nil), try scrolled(.veryfast))
        #expect(usual[1] * 2 < usual[0])
        #expect(usual[1] * 2 < veryfast[1], "\(usual) \(veryfast)")
    }

    @Test(.tags(.slow), arguments: EncoderPreset.allCases)
    func `at every preset each frame comes at once, and no block is stale`(preset: EncoderPreset) throws {
        for rate in [VideoEncoderSettings.RateControl.constantQuantizer(23), .averageBitrate(4_000_000)] {
            let encoder = try X264Encoder(settings(preset, rate))
            let worst = try encoder.worstTile(of: 30, interval: 33, seed: 11, isKeyframe: { $0 == 20 }) { index, _, _ in
                // Every third frame is a repeat.
                index % 3 == 0 ? [] : [PixelRect(x: index * 8, y: index * 4, width: 24, height: 16)]
            }
            #expect(worst > 26, "\(rate)")
        }
    }
}
