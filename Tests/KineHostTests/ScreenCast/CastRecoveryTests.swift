// What follows the loss of a screen cast, on a clock that only the test moves.
import KineCapture
import Testing

@testable import KineHost

@Suite struct CastRecoveryTests {
    private static let limits = CastRecovery.Limits(interval: 10, absence: 100, answer: 500)
    private static let lost = VideoSourceError.castLost("connection error")

    private func begun(from loss: VideoSourceError = lost, isOfMonitor: Bool = true) -> CastRecovery? {
        CastRecovery(from: loss, isOfMonitor: isOfMonitor, at: 1000, limits: Self.limits)
    }

    private func asking(from loss: VideoSourceError = lost) throws -> CastRecovery {
        var recovery = try #require(begun(from: loss))
        #expect(recovery.advance(at: 1010) { true } == .ask)
        return recovery
    }

    @Test func `only a lost connection, and a monitor's cast that stopped, are worth a question`() {
        for isOfMonitor in [true, false] {
            #expect(begun(isOfMonitor: isOfMonitor)?.interruption.reason == .castLost)
            let stopped = begun(from: .castStopped, isOfMonitor: isOfMonitor)
            #expect((stopped?.interruption.reason == .castStopped) == isOfMonitor)
            for error in [VideoSourceError.screenCastClosed, .windowClosed, .castRefused("")] {
                #expect(begun(from: error, isOfMonitor: isOfMonitor) == nil)
            }
        }
    }

    @Test func `the portal is asked as soon as PipeWire is back`() throws {
        var recovery = try #require(begun())
        #expect(recovery.deadline == 1010)
        #expect(recovery.advance(at: 1009) { true } == .wait(until: 1010))
        #expect(recovery.advance(at: 1010) { false } == .wait(until: 1020) && recovery.deadline == 1020)
        #expect(recovery.advance(at: 1025) { false } == .wait(until: 1035))
        #expect(recovery.advance(at: 1034) { true } == .wait(until: 1035), "it was looked for a moment ago")
        #expect(recovery.advance(at: 1035) { true } == .ask)
    }

    @Test func `a PipeWire that does not come back ends the take, by the loss`() throws {
        var recovery = try #require(begun())
        #expect(recovery.advance(at: 1099) { false } == .wait(until: 1109))
        #expect(recovery.advance(at: 1109) { false } == .end(Self.lost))
        #expect(recovery.advance(at: 1110) { true } == .end(Self.lost), "an end is for ever")
    }

    @Test func `a person is waited for longer, but not for ever`() throws {
        var recovery = try asking()
        #expect(recovery.deadline == 1500)
        #expect(recovery.advance(at: 1499) { true } == .wait(until: 1500))
        #expect(recovery.advance(at: 1500) { true } == .end(Self.lost))
    }

    @Test func `a portal that cannot yet is asked again, for as long as PipeWire may be away`() throws {
        var recovery = try asking()
        #expect(recovery.failed(.castRefused(""), at: 1011) == .wait(until: 1021))
        #expect(recovery.advance(at: 1021) { true } == .ask)
        #expect(recovery.failed(VideoSourceError(""), at: 1100) == .end(Self.lost))
        #expect(recovery.advance(at: 1101) { true } == .end(Self.lost))
    }

    @Test func `the person's no is the end`() throws {
        var recovery = try asking()
        #expect(recovery.failed(.screenCastDeclined, at: 1011) == .end(Self.lost))
    }

    @Test func `a desktop whose cast stopped while PipeWire ran is asked once`() throws {
        var recovery = try asking(from: .castStopped)
        #expect(recovery.failed(.castGaveNoFrame(seconds: 5), at: 1011) == .end(.castStopped))
    }
}
