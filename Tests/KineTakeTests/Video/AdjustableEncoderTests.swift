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
    private final class Stage {
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
                size: AdjustableEncoderTests.size)
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
        let stage = try Stage()
        try stage.run(seconds: 2)
        let chosen = Stage.bitrate(stage.extensions)
        try #require(chosen > 600_000, "the noise is not hard enough")
        try stage.adjust(EncodingRequest(averageBitrate: chosen / 2))
        try stage.run(seconds: 1)
        #expect(stage.extensions.first?.isKeyframe == true, "another encoder begins")
        try stage.run(seconds: 3)
        #expect(Stage.bitrate(stage.extensions) < chosen * 5 / 8)
        #expect(stage.recording.count == stage.extensions.count && stage.encodes == stage.extensions.count)
        // From one request to the next nothing begins anew.
        try stage.adjust(EncodingRequest(averageBitrate: chosen / 3))
        try stage.run(seconds: 3)
        #expect(!stage.extensions.contains { $0.isKeyframe })
        #expect(Stage.bitrate(stage.extensions.suffix(60)) < chosen * 5 / 12)
        try stage.adjust(.none)
        try stage.run(seconds: 2)
        #expect(stage.extensions.first?.isKeyframe == true)
        #expect(stage.extensions.dropFirst().allSatisfy { !$0.isKeyframe })
        #expect(Stage.bitrate(stage.extensions) > chosen * 8 / 10)
    }

    @Test func `a chosen bitrate that was opened for requests changes without a keyframe`() throws {
        let stage = try Stage(.averageBitrate(1_000_000), peak: 1_000_000)
        try stage.run(seconds: 3)
        try stage.adjust(EncodingRequest(averageBitrate: 300_000))
        try stage.run(seconds: 4)
        #expect(!stage.extensions.contains { $0.isKeyframe })
        #expect(Stage.bitrate(stage.extensions.suffix(90)) < 375_000)
        try stage.adjust(EncodingRequest(averageBitrate: 9_000_000))
        try stage.run(seconds: 4)
        #expect((700_000...1_250_000).contains(Stage.bitrate(stage.extensions.suffix(60))), "as chosen, not more")
    }

    @Test(arguments: [VideoEncoderSettings.RateControl.constantQuantizer(22), .averageBitrate(1_000_000)])
    func `a recording with a quality of its own notices nothing, and a second encode is only made meanwhile`(
        rateControl: VideoEncoderSettings.RateControl
    ) throws {
        let stage = try Stage(rateControl, keepsRecordingQuality: true)
        let alone = try Stage(rateControl)
        try stage.run(seconds: 1)
        try alone.run(seconds: 1)
        #expect(stage.encodes == Self.rate)
        try stage.adjust(EncodingRequest(averageBitrate: 250_000, maximumFrameRate: 15))
        for _ in 0..<3 {
            try stage.run(seconds: 1)
            try alone.run(seconds: 1)
            #expect(stage.recording.map(\.data) == alone.recording.map(\.data))
        }
        #expect(stage.encodes == Self.rate + stage.extensions.count)
        #expect((14...16).contains(stage.extensions.count))
        #expect(Stage.bitrate(stage.extensions) < 400_000)
        try stage.adjust(.none)
        try stage.run(seconds: 1)
        #expect(stage.encodes == Self.rate && stage.extensions.first?.isKeyframe == true)
        #expect(stage.extensions.map(\.data) == stage.recording.map(\.data))
    }

    @Test func `fewer frames a second, and what changed in those left out comes with the next`() throws {
        let stage = try Stage()
        try stage.adjust(EncodingRequest(maximumFrameRate: 10))
        try stage.run(seconds: 3)
        #expect((29...31).contains(stage.extensions.count))
        // The last change before the screen stands still falls on a frame that is left out.
        while try !stage.step(isChanged: false).isEmpty {}
        #expect(try stage.step(isChanged: true).isEmpty)
        let earliest = try #require(stage.encoder.earliest)
        #expect(earliest > MediaTime(ticks: stage.number - 1, timescale: Int32(Self.rate)).nanoseconds)
        var next: [EncodedSample] = []
        while next.isEmpty { next = try stage.step(isChanged: false) }
        #expect(next[0].data.count > 1000, "the change is not in it")
        // A feed that needs a keyframe does not wait for its turn.
        #expect(try stage.step(isKeyframe: true).first?.isKeyframe == true)
        #expect(try stage.step(isKeyframe: true).first?.isKeyframe == true)
    }

    @Test func `at a limit, a request for fewer frames takes as many fewer bits`() throws {
        let stage = try Stage(.constantQuantizer(14), peak: 1_000_000)
        try stage.run(seconds: 3)
        try stage.adjust(EncodingRequest(averageBitrate: 600_000, maximumFrameRate: 10))
        try stage.run(seconds: 2)
        try stage.run(seconds: 6)
        #expect((59...61).contains(stage.extensions.count))
        let bits = stage.extensions.reduce(0) { $0 + $1.data.count } * 8 / 6
        #expect((120_000...250_000).contains(bits), "a third of the pictures")
        try stage.adjust(EncodingRequest(averageBitrate: 600_000))
        try stage.run(seconds: 2)
        try stage.run(seconds: 4)
        #expect((500_000...750_000).contains(Stage.bitrate(stage.extensions)))
    }

    @Test func `no access unit is larger than the far end takes, whichever encoder made it`() throws {
        // A frame of this noise has some 15 kB at the quality, and 3 at the coarsest quantizer there is.
        for keeps in [false, true] {
            let stage = try Stage(peak: keeps ? nil : 100_000_000, keepsRecordingQuality: keeps, accessUnit: 5000)
            try stage.adjust(EncodingRequest(averageBitrate: 99_000_000))
            for _ in 0..<3 {
                try stage.run(seconds: 1)
                let largest = try #require(stage.extensions.map(\.data.count).max())
                #expect(largest <= 5000, "the recording keeps its quality: \(keeps)")
                #expect(stage.extensions.count == Self.rate)
                if keeps { #expect(try #require(stage.recording.map(\.data.count).max()) > 5000) }
                try stage.step(isKeyframe: true)
            }
        }
    }

    @Test func `a request for what there is already changes nothing`() throws {
        let stage = try Stage(.averageBitrate(2_000_000))
        try stage.adjust(EncodingRequest(averageBitrate: 2_000_000, maximumFrameRate: 30))
        try stage.run(seconds: 1)
        #expect(stage.encodes == Self.rate && !stage.extensions.contains { $0.isKeyframe })
    }
}
