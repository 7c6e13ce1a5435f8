// The lowest request counts, within what the user chose; and when a request reaches the encoder.
import KineWire
import Testing

@testable import KineEngine

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

    // MARK: The supervision's part

    private typealias Tests = ExtensionStateMachineTests
    private let request = EncodingRequest(averageBitrate: 600_000)

    @Test func `a request goes to the encoder at once, the next a moment later, and only the last of several`() {
        var machine = Tests.live()
        let start = 2 * Tests.second
        #expect(machine.handle(.report(.encoding(request)), at: start) == [.requestEncoding(request)])
        #expect(machine.status.encoding == request)
        #expect(machine.handle(.report(.encoding(request)), at: start + 1) == [])
        let lower = EncodingRequest(averageBitrate: 300_000)
        #expect(machine.handle(.report(.encoding(.none)), at: start + 2) == [])
        #expect(machine.handle(.report(.encoding(lower)), at: start + 3) == [])
        let due = start + 250_000_000
        #expect(machine.nextDeadline == due)
        #expect(machine.handle(.timePassed, at: due - 1) == [])
        #expect(machine.handle(.timePassed, at: due) == [.requestEncoding(lower)])
        #expect(machine.handle(.timePassed, at: due + Tests.second) == [])
    }

    @Test func `what is asked for before the start is asked for then`() {
        var machine = Tests.machine()
        _ = machine.handle(.timePassed, at: 0)
        _ = machine.handle(.launched(pid: 7), at: 0)
        _ = machine.handle(.startSent, at: 0)
        #expect(machine.handle(.report(.encoding(request)), at: 1) == [])
        #expect(
            machine.handle(.report(.started), at: 2)
                == [.beginFeeding, .announce(.phase(.live)), .requestEncoding(request)])
    }

    @Test func `a request ends with the process that had it, and the next begins without`() {
        var machine = Tests.live()
        _ = machine.handle(.report(.encoding(request)), at: 2 * Tests.second)
        let ended = machine.handle(
            .exited(.killed(signal: 11), lastWords: nil, cappedAt: nil), at: 3 * Tests.second)
        #expect(ended.first == .endFeeding && machine.status.encoding == .none)
        let again = 4 * Tests.second
        #expect(machine.handle(.timePassed, at: again) == [.launch])
        _ = machine.handle(.launched(pid: 8), at: again)
        _ = machine.handle(.startSent, at: again)
        #expect(machine.handle(.report(.started), at: again) == [.beginFeeding, .announce(.phase(.live))])
        #expect(machine.handle(.report(.encoding(request)), at: again) == [.requestEncoding(request)])
    }
}
