// Encoders that hold frames back, and that change their format: the samples at the sinks, and their order.
import KineCodecs
import KineMedia
import Testing

@testable import KineTake

@Suite struct FormatChangeTests {
    /// An entry for each call of a sink: the format, or a sample's encoder and time, and a keyframe's format.
    private enum Event: Equatable {
        case format(UInt8)
        case sample([UInt8], SampleAudience, keyframe: UInt8? = nil)
    }

    /// The number that a test gave to a format.
    private static func number(_ format: VideoFormat?) -> UInt8? {
        if case .hevc(let sets) = format?.parameterSets { sets.picture[0] } else { nil }
    }

    private final class Fixture<Script: EncoderScript> {
        private(set) var events: [Event] = []
        private var encoder: AdjustableEncoder<ScriptedEncoder<Script>>?
        private let frames = NoiseFrames(size: PixelSize(width: 16, height: 16), count: 1)
        private var second = 0.0

        init(keepsRecordingQuality: Bool = false) throws {
            let size = PixelSize(width: 16, height: 16)
            var plan = EncodingPlan(
                TakeConfiguration(source: .screen(monitor: nil), output: ""), services: [], size: size,
                codecs: [.hevc])
            plan.settings = VideoEncoderSettings(
                size: size, rateControl: .averageBitrate(1_000_000), nominalFrameRate: 30)
            plan.keepsRecordingQuality = keepsRecordingQuality
            plan.floor = EncodingFloor(bitrate: 1000, framesPerSecond: 1)
            encoder = try AdjustableEncoder(plan) { [unowned self] format in
                events.append(.format(FormatChangeTests.number(format) ?? 0))
            }
        }

        func encode(_ count: Int) throws {
            for _ in 0..<count {
                _ = try encoder?.encode(
                    frames.planes, changed: .full(size: frames.planes.size), at: .seconds(second),
                    isKeyframe: second == 0 || encoder?.needsKeyframe == true, output: note)
                second += 1
            }
        }

        func adjust(_ bitrate: Int?) throws {
            try encoder?.adjust(EncodingRequest(averageBitrate: bitrate), output: note)
        }

        func finish() throws { try encoder?.finish(output: note) }

        private func note(_ sample: EncodedSample, _ audience: SampleAudience) {
            #expect((sample.format != nil) == sample.isKeyframe)
            events.append(.sample(sample.data, audience, keyframe: FormatChangeTests.number(sample.format)))
        }

        /// The entries since the last call.
        func next() -> [Event] {
            defer { events = [] }
            return events
        }
    }

    private enum Late: EncoderScript {
        static let delay = 2
        static func openingFormat(isSecond: Bool) -> UInt8? { nil }
        static func change(before frame: Int, isSecond: Bool) -> UInt8? { frame == 0 ? 7 : nil }
    }

    @Test func `frames that are held back come later, in order, and all of them at the end`() throws {
        let fixture = try Fixture<Late>()
        #expect(fixture.next().isEmpty, "the format is not known yet")
        try fixture.encode(3)
        #expect(fixture.next() == [.format(7), .sample([1, 0], .all, keyframe: 7)])
        try fixture.encode(1)
        #expect(fixture.next() == [.sample([1, 1], .all)])
        try fixture.finish()
        #expect(
            fixture.next() == [.sample([1, 2], .all), .sample([1, 3], .all)])
    }

    @Test func `one encoder gives out what it holds back before another takes over`() throws {
        let fixture = try Fixture<Late>()
        try fixture.encode(2)
        try fixture.adjust(500_000)
        #expect(
            fixture.next() == [
                .format(7), .sample([1, 0], .all, keyframe: 7), .sample([1, 1], .all),
            ])
        try fixture.encode(3)
        #expect(fixture.next() == [.sample([2, 2], .all, keyframe: 7)], "the format is reported once")
        try fixture.adjust(nil)
        #expect(
            fixture.next() == [.sample([2, 3], .all), .sample([2, 4], .all)])
        try fixture.encode(3)
        #expect(fixture.next() == [.sample([1, 5], .all, keyframe: 7)])
    }

    @Test func `what is held back reaches those it was encoded for`() throws {
        let fixture = try Fixture<Late>(keepsRecordingQuality: true)
        try fixture.encode(1)
        try fixture.adjust(500_000)
        #expect(fixture.next() == [.format(7), .sample([1, 0], .all, keyframe: 7)])
        try fixture.encode(1)
        try fixture.finish()
        #expect(
            fixture.next() == [
                .sample([2, 1], .extensions, keyframe: 7), .sample([1, 1], .recording),
            ])
    }

    private enum Different: EncoderScript {
        static let delay = 0
        static func openingFormat(isSecond: Bool) -> UInt8? { isSecond ? 8 : 7 }
        static func change(before frame: Int, isSecond: Bool) -> UInt8? { nil }
    }

    @Test(arguments: [false, true])
    func `a second encoder of another format is not used, and the first goes on without a keyframe`(
        keepsRecordingQuality: Bool
    ) throws {
        let fixture = try Fixture<Different>(keepsRecordingQuality: keepsRecordingQuality)
        try fixture.encode(1)
        try fixture.adjust(500_000)
        try fixture.encode(1)
        #expect(
            fixture.next() == [
                .format(7), .sample([1, 0], .all, keyframe: 7), .sample([1, 1], .all),
            ])
    }

    private enum LateDifferent: EncoderScript {
        static let delay = 0
        static func openingFormat(isSecond: Bool) -> UInt8? { isSecond ? nil : 7 }
        static func change(before frame: Int, isSecond: Bool) -> UInt8? { isSecond && frame == 0 ? 8 : nil }
    }

    @Test func `a second encoder whose other format comes late is followed, and so is the first after it`() throws {
        let fixture = try Fixture<LateDifferent>()
        try fixture.encode(1)
        try fixture.adjust(500_000)
        try fixture.encode(1)
        #expect(
            fixture.next() == [
                .format(7), .sample([1, 0], .all, keyframe: 7), .sample(Self.sets(8) + [2, 1], .all, keyframe: 8),
            ])
        try fixture.adjust(nil)
        try fixture.encode(2)
        #expect(
            fixture.next() == [.sample(Self.sets(7) + [1, 2], .all, keyframe: 7), .sample([1, 3], .all)],
            "the format is reported once")
    }

    private enum Changing: EncoderScript {
        static let delay = 0
        static func openingFormat(isSecond: Bool) -> UInt8? { 7 }
        static func change(before frame: Int, isSecond: Bool) -> UInt8? { [2: 8, 4: 7][frame] }
        static func isKeyframe(_ frame: Int) -> Bool { frame == 2 || frame == 4 }
    }

    /// The parameter sets of a format as units behind their lengths, which keyframes have once the format has changed.
    private static func sets(_ number: UInt8) -> [UInt8] { (0..<3).flatMap { _ in [0, 0, 0, 1, number] } }

    @Test func `a format that changes comes with its keyframe, which then has the parameter sets too`() throws {
        let fixture = try Fixture<Changing>()
        try fixture.encode(6)
        #expect(
            fixture.next() == [
                .format(7), .sample([1, 0], .all, keyframe: 7), .sample([1, 1], .all),
                .sample(Self.sets(8) + [1, 2], .all, keyframe: 8), .sample([1, 3], .all),
                .sample(Self.sets(7) + [1, 4], .all, keyframe: 7), .sample([1, 5], .all),
            ])
    }

    @Test func `an odd size is what keyframes say, and another coded size is shown whole`() {
        let odd = PixelSize(width: 33, height: 17)
        let plan = EncodingPlan(
            TakeConfiguration(source: .screen(monitor: nil), output: ""), services: [], size: odd, codecs: [.hevc])
        #expect(plan.settings.size == PixelSize(width: 34, height: 18))
        var first: VideoFormat?
        let stream = StreamFormat(plan) { first = $0 }
        var format = ScriptedEncoder<Changing>.format(1)
        format.size = plan.settings.size
        #expect(stream.note(format).size == odd && first?.size == odd)
        format.size = PixelSize(width: 64, height: 32)
        #expect(stream.note(format).size == format.size && first?.size == odd)
    }
}
