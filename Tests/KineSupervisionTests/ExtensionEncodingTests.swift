// When an extension's request reaches the encoder.
import KineMedia
import Testing

@testable import KineSupervision

@Suite struct ExtensionEncodingTests {
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
            .exited(.killed(signal: 11), stderrTail: nil, cappedAt: nil), at: 3 * Tests.second)
        #expect(ended.first == .endFeeding && machine.status.encoding == .none)
        let again = 4 * Tests.second
        #expect(machine.handle(.timePassed, at: again) == [.launch])
        _ = machine.handle(.launched(pid: 8), at: again)
        _ = machine.handle(.startSent, at: again)
        #expect(machine.handle(.report(.started), at: again) == [.beginFeeding, .announce(.phase(.live))])
        #expect(machine.handle(.report(.encoding(request)), at: again) == [.requestEncoding(request)])
    }
}
