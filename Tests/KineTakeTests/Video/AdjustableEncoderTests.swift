// Requests of extensions reach the frames, and the recording only where that is meant.
import KineCodecs
import KineMedia
import KineX264
import Testing

@testable import KineTake

@Suite(.serialized) struct AdjustableEncoderTests {
    private static let size = PixelSize(width: 160, height: 96)
    private static let rate = 30
    private static let changed = DamageRegion.full(size: size)

    /// An encoder, and the frames that it gets.
    private final class Fixture {
        let encoder: AdjustableEncoder<X264Encoder>
        let frames = NoiseFrames(size: AdjustableEncoderTests.size)
        var number: Int64 = 0
        /// The samples for each audience.
        var recording: [EncodedSample] = []
        var extensions: [EncodedSample] = []
        var encodes = 0

        init(
            _ rateControl: VideoEncoderSettings.RateControl = .constantQuantizer(22), peak: Int? = nil,
            keepsRecordingQuality: Bool = false, accessUnit: Int? = nil
        ) throws {
            var plan = EncodingPlan(
                TakeConfiguration(source: .screen(monitor: nil), output: ""), services: [],
                size: AdjustableEncoderTests.size, codecs: [.h264])
            plan.settings = VideoEncoderSettings(
                size: AdjustableEncoderTests.size, rateControl: rateControl,
                peak: peak.map { .init(bitrate: $0, accessUnit: accessUnit) },
                nominalFrameRate: AdjustableEncoderTests.rate)
            plan.keepsRecordingQuality = keepsRecordingQuality
            plan.floor = EncodingFloor(bitrate: 50_000, framesPerSecond: 1)
            plan.largestAccessUnit = accessUnit
            encoder = try AdjustableEncoder(plan) { _ in }
            try step(isKeyframe: true)
        }

        /// A frame. What comes of it.
        @discardableResult
        func step(isKeyframe: Bool = false, isChanged: Bool = true) throws -> [EncodedSample] {
            if isChanged { frames.change() }
            var samples: [EncodedSample] = []
            let isSent = try encoder.encode(
                frames.planes, changed: isChanged ? changed : DamageRegion(size: AdjustableEncoderTests.size),
                at: MediaTime(ticks: number, timescale: Int32(AdjustableEncoderTests.rate)),
                isKeyframe: isKeyframe || encoder.needsKeyframe
            ) { sample, audience in
                samples.append(sample)
                if audience.contains(.recording) { recording.append(sample) }
                if audience.contains(.extensions) { extensions.append(sample) }
            }
            number += 1
            encodes += samples.count
            #expect(isSent || encoder.earliest != nil)
            return samples
        }

        func adjust(_ request: EncodingRequest) throws {
            try encoder.adjust(request) { _, _ in Issue.record("x264 holds nothing back") }
        }

        func run(seconds: Int) throws {
            (recording, extensions, encodes) = ([], [], 0)
            for _ in 0..<seconds * AdjustableEncoderTests.rate { try step() }
        }

        static func bitrate(_ samples: [EncodedSample]) -> Int {
            let count = max(1, samples.count)
            return samples.reduce(0) { $0 + $1.data.count } * 8 * AdjustableEncoderTests.rate / count
        }
    }

    @Test func `with a quality chosen, a request lowers what all get, and its end brings the quality back`() throws {
        let fixture = try Fixture()
        try fixture.run(seconds: 2)
        let chosen = Fixture.bitrate(fixture.extensions)
        try #require(chosen > 600_000, "the noise is not hard enough")
        try fixture.adjust(EncodingRequest(averageBitrate: chosen / 2))
        try fixture.run(seconds: 1)
        #expect(fixture.extensions.first?.isKeyframe == true, "another encoder begins")
        try fixture.run(seconds: 3)
        #expect(Fixture.bitrate(fixture.extensions) < chosen * 5 / 8)
        #expect(fixture.recording.count == fixture.extensions.count && fixture.encodes == fixture.extensions.count)
        // From one request to the next nothing begins anew.
        try fixture.adjust(EncodingRequest(averageBitrate: chosen / 3))
        try fixture.run(seconds: 3)
        #expect(!fixture.extensions.contains { $0.isKeyframe })
        #expect(Fixture.bitrate(fixture.extensions.suffix(60)) < chosen * 5 / 12)
        try fixture.adjust(.none)
        try fixture.run(seconds: 2)
        #expect(fixture.extensions.first?.isKeyframe == true)
        #expect(fixture.extensions.dropFirst().allSatisfy { !$0.isKeyframe })
        #expect(Fixture.bitrate(fixture.extensions) > chosen * 8 / 10)
    }

    @Test func `a chosen bitrate that was opened for requests changes without a keyframe`() throws {
        let fixture = try Fixture(.averageBitrate(1_000_000), peak: 1_000_000)
        try fixture.run(seconds: 3)
        try fixture.adjust(EncodingRequest(averageBitrate: 300_000))
        try fixture.run(seconds: 4)
        #expect(!fixture.extensions.contains { $0.isKeyframe })
        #expect(Fixture.bitrate(fixture.extensions.suffix(90)) < 375_000)
        try fixture.adjust(EncodingRequest(averageBitrate: 9_000_000))
        try fixture.run(seconds: 4)
        #expect((700_000...1_250_000).contains(Fixture.bitrate(fixture.extensions.suffix(60))), "as chosen, not more")
    }

    @Test(arguments: [VideoEncoderSettings.RateControl.constantQuantizer(22), .averageBitrate(1_000_000)])
    func `a recording with a quality of its own notices nothing, and a second encode is only made meanwhile`(
        rateControl: VideoEncoderSettings.RateControl
    ) throws {
        let fixture = try Fixture(rateControl, keepsRecordingQuality: true)
        let alone = try Fixture(rateControl)
        try fixture.run(seconds: 1)
        try alone.run(seconds: 1)
        #expect(fixture.encodes == Self.rate)
        try fixture.adjust(EncodingRequest(averageBitrate: 250_000, maximumFrameRate: 15))
        for _ in 0..<3 {
            try fixture.run(seconds: 1)
            try alone.run(seconds: 1)
            #expect(fixture.recording.map(\.data) == alone.recording.map(\.data))
        }
        #expect(fixture.encodes == Self.rate + fixture.extensions.count)
        #expect((14...16).contains(fixture.extensions.count))
        #expect(Fixture.bitrate(fixture.extensions) < 400_000)
        try fixture.adjust(.none)
        try fixture.run(seconds: 1)
        #expect(fixture.encodes == Self.rate && fixture.extensions.first?.isKeyframe == true)
        #expect(fixture.extensions.map(\.data) == fixture.recording.map(\.data))
    }

    @Test func `fewer frames a second, and what changed in those left out comes with the next`() throws {
        let fixture = try Fixture()
        try fixture.adjust(EncodingRequest(maximumFrameRate: 10))
        try fixture.run(seconds: 3)
        #expect((29...31).contains(fixture.extensions.count))
        // The last change before the screen stands still falls on a frame that is left out.
        while try !fixture.step(isChanged: false).isEmpty {}
        #expect(try fixture.step(isChanged: true).isEmpty)
        let earliest = try #require(fixture.encoder.earliest)
        #expect(earliest > MediaTime(ticks: fixture.number - 1, timescale: Int32(Self.rate)).nanoseconds)
        var next: [EncodedSample] = []
        while next.isEmpty { next = try fixture.step(isChanged: false) }
        #expect(next[0].data.count > 1000, "the change is not in it")
        // A feed that needs a keyframe does not wait for its turn.
        #expect(try fixture.step(isKeyframe: true).first?.isKeyframe == true)
        #expect(try fixture.step(isKeyframe: true).first?.isKeyframe == true)
    }

    @Test func `at a limit, a request for fewer frames takes as many fewer bits`() throws {
        let fixture = try Fixture(.constantQuantizer(14), peak: 1_000_000)
        try fixture.run(seconds: 3)
        try fixture.adjust(EncodingRequest(averageBitrate: 600_000, maximumFrameRate: 10))
        try fixture.run(seconds: 2)
        try fixture.run(seconds: 6)
        #expect((59...61).contains(fixture.extensions.count))
        let bits = fixture.extensions.reduce(0) { $0 + $1.data.count } * 8 / 6
        #expect((120_000...250_000).contains(bits), "a third of the pictures")
        try fixture.adjust(EncodingRequest(averageBitrate: 600_000))
        try fixture.run(seconds: 2)
        try fixture.run(seconds: 4)
        #expect((500_000...750_000).contains(Fixture.bitrate(fixture.extensions)))
    }

    @Test func `no access unit is larger than the far end takes, whichever encoder made it`() throws {
        // A frame of this noise has some 15 kB at the quality, and 3 at the coarsest quantizer there is.
        for keeps in [false, true] {
            let fixture = try Fixture(peak: keeps ? nil : 100_000_000, keepsRecordingQuality: keeps, accessUnit: 5000)
            try fixture.adjust(EncodingRequest(averageBitrate: 99_000_000))
            for _ in 0..<3 {
                try fixture.run(seconds: 1)
                let largest = try #require(fixture.extensions.map(\.data.count).max())
                #expect(largest <= 5000, "the recording keeps its quality: \(keeps)")
                #expect(fixture.extensions.count == Self.rate)
                if keeps { #expect(try #require(fixture.recording.map(\.data.count).max()) > 5000) }
                try fixture.step(isKeyframe: true)
            }
        }
    }

    @Test func `a request for what there is already changes nothing`() throws {
        let fixture = try Fixture(.averageBitrate(2_000_000))
        try fixture.adjust(EncodingRequest(averageBitrate: 2_000_000, maximumFrameRate: 30))
        try fixture.run(seconds: 1)
        #expect(fixture.encodes == Self.rate && !fixture.extensions.contains { $0.isKeyframe })
    }
}
