// The encoder of a take, for every combination of the user's choices and its destinations' limits.
import KineCodecs
import KineMedia
import Testing

@testable import KineTake

@Suite struct EncodingPlanTests {
    private static let size = PixelSize(width: 1920, height: 1080)
    private static let unit = (1 << 20) - 1024
    private static let page = SampleRequirements.test(.encoded(codecs: [.h264], keyframeInterval: 2))
    private static let ingest = SampleRequirements.test(
        .encoded(
            codecs: [.h264], keyframeInterval: 2,
            expecting: .init(maximumBitrate: 6_000_000, maximumAccessUnit: unit, stillFramesPerSecond: 5)))

    private func plan(
        _ services: [SampleRequirements], isRecorded: Bool, _ change: (inout TakeConfiguration.Video) -> Void = { _ in }
    ) -> EncodingPlan {
        var configuration = TakeConfiguration(source: .screen(monitor: nil), output: isRecorded ? "/a.mp4" : nil)
        change(&configuration.video)
        return EncodingPlan(configuration, services: services, size: Self.size, codecs: [.h264])
    }

    @Test(
        arguments: [
            ([], .h264), ([[.hevc, .h264]], .hevc), ([[.av1, .h264]], .h264), ([[.hevc, .h264], [.h264]], .h264),
            ([[.hevc], [.h264]], .hevc), ([[.av1]], .h264),
        ] as [([[VideoCodec]], VideoCodec)])
    func `the codec is the first that all services accept and the take can make`(
        accepted: [[VideoCodec]], codec: VideoCodec
    ) {
        let services = accepted.map { SampleRequirements.test(.encoded(codecs: $0, keyframeInterval: nil)) }
        let plan = EncodingPlan(
            TakeConfiguration(source: .screen(monitor: nil), output: nil), services: services, size: Self.size,
            codecs: [.h264, .hevc])
        #expect(plan.codec == codec)
    }

    @Test(arguments: [true, false]) func `a preset is the encoder's, shared or not`(isRecorded: Bool) {
        let slow = plan([Self.ingest], isRecorded: isRecorded) { $0.preset = .slow }
        var usual = plan([Self.ingest], isRecorded: isRecorded)
        usual.settings.preset = .slow
        #expect(slow == usual)
    }

    /// The bitrates that YouTube and Twitch publish for H.264, in Mbit/s: the default is within them.
    @Test(arguments: [
        (1280, 720, 30, 2.5...4.0), (1280, 720, 60, 3.0...6.0), (1920, 1080, 30, 6.0...6.0),
        (1920, 1080, 60, 4.5...9.0), (2560, 1440, 30, 6.0...13.0), (2560, 1440, 60, 9.0...18.0),
        (3840, 2160, 30, 13.0...34.0), (3840, 2160, 60, 20.0...51.0),
    ])
    func `the ceiling is what public ingests recommend`(width: Int, height: Int, fps: Int, range: ClosedRange<Double>) {
        let bits = EncodingPlan.ceiling(
            6_000_000, size: PixelSize(width: width, height: height), framesPerSecond: fps)
        #expect(range.contains(Double(bits) / 1e6), "\(bits)")
    }

    @Test func `the ceiling grows with size and rate, and has sense at both ends`() {
        var last = 0
        for side in [2, 16, 100, 320, 640, 1080, 2160, 8192] {
            let bits = EncodingPlan.ceiling(
                6_000_000, size: PixelSize(width: side * 2, height: side), framesPerSecond: 30)
            #expect(bits >= last && bits >= 300_000)
            last = bits
        }
        let rates = [1, 5, 24, 30, 60, 240].map {
            EncodingPlan.ceiling(6_000_000, size: Self.size, framesPerSecond: $0)
        }
        #expect(rates == rates.sorted() && Set(rates).count == rates.count)
        #expect(
            EncodingPlan.ceiling(1_000_000_000, size: PixelSize(width: 16384, height: 16384), framesPerSecond: 240)
                <= 1_000_000_000)
        #expect(EncodingPlan.ceiling(100_000, size: PixelSize(width: 16, height: 16), framesPerSecond: 1) == 100_000)
    }

    @Test func `without somebody who expects it there is no limit`() {
        for isRecorded in [false, true] {
            let plan = plan([Self.page], isRecorded: isRecorded)
            #expect(plan.ceiling == nil && plan.settings.peak == nil && plan.largestAccessUnit == nil)
            #expect(plan.settings.rateControl == .constantQuantizer(23))
            #expect(plan.keepsRecordingQuality == isRecorded)
        }
        #expect(self.plan([], isRecorded: true) { $0.maximumBitrate = 1_000_000 }.ceiling == nil)
        // As it was chosen, and no more in any second.
        let rate = plan([Self.page], isRecorded: false) { $0.rateControl = .averageBitrate(3_000_000) }
        #expect(rate.settings.peak == .init(bitrate: 3_000_000) && rate.ceiling == nil)
    }

    @Test func `the default is one encode with a limit, for the recording as well`() {
        for services in [[Self.ingest], [Self.page, Self.ingest]] {
            for isRecorded in [false, true] {
                let plan = plan(services, isRecorded: isRecorded)
                #expect(plan.ceiling == 6_000_000 && plan.largestAccessUnit == Self.unit)
                #expect(plan.settings.peak == .init(bitrate: 6_000_000, accessUnit: Self.unit))
                #expect(plan.keepsRecordingQuality == isRecorded)
                #expect(plan.averageBitrate == nil)
            }
        }
    }

    @Test func `a recording that was given a quality or more bits than the ceiling has an encode of its own`() {
        for rate in [TakeConfiguration.RateControl.constantQuality(18), .averageBitrate(10_000_000)] {
            let own = plan([Self.ingest], isRecorded: true) { ($0.rateControl, $0.isRateChosen) = (rate, true) }
            #expect(own.settings.peak == nil && own.ceiling == 6_000_000 && own.keepsRecordingQuality)
            let shared = plan([Self.ingest], isRecorded: true) {
                ($0.rateControl, $0.isRateChosen, $0.keepsRecordingQuality) = (rate, true, false)
            }
            #expect(shared.settings.peak?.bitrate == 6_000_000 && !shared.keepsRecordingQuality)
        }
        let less = plan([Self.ingest], isRecorded: true) {
            ($0.rateControl, $0.isRateChosen) = (.averageBitrate(4_000_000), true)
        }
        #expect(less.settings.peak?.bitrate == 6_000_000 && less.averageBitrate == 4_000_000)
    }

    @Test func `a bitrate without a recording was chosen for the destinations`() {
        for bits in [2_000_000, 10_000_000] {
            let plan = plan([Self.ingest], isRecorded: false) {
                ($0.rateControl, $0.isRateChosen) = (.averageBitrate(bits), true)
            }
            #expect(plan.ceiling == max(bits, 6_000_000))
            #expect(plan.settings.peak == .init(bitrate: bits, accessUnit: Self.unit))
            #expect(plan.averageBitrate == bits)
        }
    }

    @Test(arguments: [200_000, 3_000_000, 50_000_000])
    func `max-bitrate holds whatever was expected, and the floor is not above it`(most: Int) {
        for services in [[Self.ingest], [Self.page]] {
            let plan = plan(services, isRecorded: false) { $0.maximumBitrate = most }
            #expect(plan.ceiling == most && plan.settings.peak?.bitrate == most)
            #expect(plan.floor.bitrate == min(most, 400_000))
        }
    }

    @Test func `the floor is a quarter of the frames, and at least one`() {
        for (rate, floor) in [(1, 1.0), (4, 1), (30, 7.5), (60, 15)] {
            #expect(plan([], isRecorded: true) { $0.framesPerSecond = rate }.floor.framesPerSecond == floor)
        }
        #expect(plan([], isRecorded: true) { $0.minimumBitrate = 0 }.floor.bitrate == 1)
    }
}
