// Encoders that hold frames back, and that change their format: the samples at the sinks, and their order.
import KineCodecs
import KineMedia
import Testing

@testable import KineTake

@Suite struct FormatChangeTests {
    /// An entry for each call of a sink: the format, or a sample's encoder and time.
    private enum Event: Equatable {
        case format(UInt8)
        case sample([UInt8], SampleAudience, isKeyframe: Bool)
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
            encoder = try AdjustableEncoder(plan) { [unowned self] sets in
                if case .av1(let header) = sets { events.append(.format(header.unit[0])) }
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
            events.append(.sample(sample.data, audience, isKeyframe: sample.isKeyframe))
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
        #expect(fixture.next() == [.format(7), .sample([1, 0], .all, isKeyframe: true)])
        try fixture.encode(1)
        #expect(fixture.next() == [.sample([1, 1], .all, isKeyframe: false)])
        try fixture.finish()
        #expect(
            fixture.next() == [.sample([1, 2], .all, isKeyframe: false), .sample([1, 3], .all, isKeyframe: false)])
    }

    @Test func `one encoder gives out what it holds back before another takes over`() throws {
        let fixture = try Fixture<Late>()
        try fixture.encode(2)
        try fixture.adjust(500_000)
        #expect(
            fixture.next() == [
                .format(7), .sample([1, 0], .all, isKeyframe: true), .sample([1, 1], .all, isKeyframe: false),
            ])
        try fixture.encode(3)
        #expect(fixture.next() == [.sample([2, 2], .all, isKeyframe: true)], "the format is reported once")
        try fixture.adjust(nil)
        #expect(
            fixture.next() == [.sample([2, 3], .all, isKeyframe: false), .sample([2, 4], .all, isKeyframe: false)])
        try fixture.encode(3)
        #expect(fixture.next() == [.sample([1, 5], .all, isKeyframe: true)])
    }

    @Test func `what is held back reaches those it was encoded for`() throws {
        let fixture = try Fixture<Late>(keepsRecordingQuality: true)
        try fixture.encode(1)
        try fixture.adjust(500_000)
        #expect(fixture.next() == [.format(7), .sample([1, 0], .all, isKeyframe: true)])
        try fixture.encode(1)
        try fixture.finish()
        #expect(
            fixture.next() == [
                .sample([2, 1], .extensions, isKeyframe: true), .sample([1, 1], .recording, isKeyframe: false),
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
                .format(7), .sample([1, 0], .all, isKeyframe: true), .sample([1, 1], .all, isKeyframe: false),
            ])
    }

    private enum LateDifferent: EncoderScript {
        static let delay = 0
        static func openingFormat(isSecond: Bool) -> UInt8? { isSecond ? nil : 7 }
        static func change(before frame: Int, isSecond: Bool) -> UInt8? { isSecond && frame == 0 ? 8 : nil }
    }

    @Test func `a second encoder whose other format comes late gives way to the first, from a keyframe on`() throws {
        let fixture = try Fixture<LateDifferent>()
        try fixture.encode(1)
        try fixture.adjust(500_000)
        try fixture.encode(2)
        #expect(
            fixture.next() == [
                .format(7), .sample([1, 0], .all, isKeyframe: true), .sample([1, 2], .all, isKeyframe: true),
            ])
    }

    private enum Changing: EncoderScript {
        static let delay = 0
        static func openingFormat(isSecond: Bool) -> UInt8? { 7 }
        static func change(before frame: Int, isSecond: Bool) -> UInt8? { frame == 1 ? 8 : nil }
    }

    @Test func `a format that changes in the middle ends the encoding, and no sample of it is delivered`() throws {
        let fixture = try Fixture<Changing>()
        try fixture.encode(1)
        #expect(throws: VideoEncoderError.formatRefused(.hevc)) { try fixture.encode(1) }
        #expect(fixture.next() == [.format(7), .sample([1, 0], .all, isKeyframe: true)])
    }
}
