// The lowest request counts, within what the user chose.
import KineMedia
import Testing

@testable import KineTake

@Suite struct EncodingRequestTests {
    private let none = EncodingRequest.none

    @Test func `the lowest bitrate and the lowest frame rate of all requests count`() {
        #expect(EncodingRequest.lowest(of: []) == none)
        #expect(EncodingRequest.lowest(of: [none, none]) == none)
        let requests = [
            EncodingRequest(averageBitrate: 900_000), none, EncodingRequest(averageBitrate: 500_000),
            EncodingRequest(averageBitrate: 700_000, maximumFrameRate: 10), EncodingRequest(maximumFrameRate: 15),
        ]
        #expect(
            EncodingRequest.lowest(of: requests) == EncodingRequest(averageBitrate: 500_000, maximumFrameRate: 10))
    }

    @Test func `nobody gets more than was chosen, nor less than the take's floor`() {
        let floor = EncodingFloor(bitrate: 400_000, framesPerSecond: 7.5)
        let high = EncodingRequest(averageBitrate: 3_000_000, maximumFrameRate: 60)
        #expect(high.within(averageBitrate: 2_000_000, framesPerSecond: 30, floor: floor) == none)
        #expect(
            high.within(averageBitrate: nil, framesPerSecond: 120, floor: floor)
                == EncodingRequest(averageBitrate: 3_000_000, maximumFrameRate: 60))
        let low = EncodingRequest(averageBitrate: 1, maximumFrameRate: 0.01)
        #expect(
            low.within(averageBitrate: 2_000_000, framesPerSecond: 30, floor: floor)
                == EncodingRequest(averageBitrate: 400_000, maximumFrameRate: 7.5))
        #expect(
            low.within(averageBitrate: 20_000, framesPerSecond: 5, floor: floor) == none,
            "less was chosen than the floor")
        for bits in stride(from: 1, through: 3_000_000, by: 7919) {
            let request = EncodingRequest(averageBitrate: bits, maximumFrameRate: Double(bits) / 50_000)
            let within = request.within(averageBitrate: 2_000_000, framesPerSecond: 30, floor: floor)
            #expect(within.averageBitrate.map { (400_000..<2_000_000).contains($0) } ?? (bits >= 2_000_000))
            #expect(within.maximumFrameRate.map { (7.5..<30).contains($0) } ?? (bits >= 1_500_000))
        }
    }
}
