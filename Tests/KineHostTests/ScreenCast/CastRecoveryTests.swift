// What follows the loss of a screen cast, on a clock that only the test moves.
import KineCapture
import KineMedia
import Testing

@testable import KineHost

@Suite struct CastRecoveryTests {
    private static let limits = CastRecovery.Limits(
        interval: 10, absence: 100, answer: 500, lookInterval: 3, listingDelay: 6)
    private static let lost = VideoSourceError.castLost("connection error")

    private func begun(from loss: VideoSourceError = lost, isOfMonitor: Bool = true) -> CastRecovery? {
        CastRecovery(from: loss, isOfMonitor: isOfMonitor, at: 1000, limits: Self.limits)
    }

    private func asking(from loss: VideoSourceError = lost) throws -> CastRecovery {
        var recovery = try #require(begun(from: loss))
        #expect(recovery.advance(at: 1010) { _ in true } == .ask)
        return recovery
    }

    @Test func `only a lost connection, and a monitor's cast that stopped, are worth a question`() {
        for isOfMonitor in [true, false] {
            #expect(begun(isOfMonitor: isOfMonitor)?.interruption?.reason == .castLost)
            let stopped = begun(from: .castStopped, isOfMonitor: isOfMonitor)
            #expect((stopped?.interruption?.reason == .castStopped) == isOfMonitor)
            for error in [VideoSourceError.screenCastClosed, .windowClosed, .castRefused("")] {
                #expect(begun(from: error, isOfMonitor: isOfMonitor) == nil)
            }
        }
    }

    @Test func `the portal is asked as soon as PipeWire is back`() throws {
        var recovery = try #require(begun())
        #expect(recovery.deadline == 1010)
        #expect(recovery.advance(at: 1009) { _ in true } == .wait(until: 1010))
        #expect(recovery.advance(at: 1010) { _ in false } == .wait(until: 1020) && recovery.deadline == 1020)
        #expect(recovery.advance(at: 1025) { _ in false } == .wait(until: 1035))
        #expect(recovery.advance(at: 1034) { _ in true } == .wait(until: 1035), "it was looked for a moment ago")
        #expect(recovery.advance(at: 1035) { _ in true } == .ask)
    }

    @Test func `a PipeWire that does not come back ends the take, by the loss`() throws {
        var recovery = try #require(begun())
        #expect(recovery.advance(at: 1099) { _ in false } == .wait(until: 1109))
        #expect(recovery.advance(at: 1109) { _ in false } == .end(Self.lost))
        #expect(recovery.advance(at: 1110) { _ in true } == .end(Self.lost), "an end is for ever")
    }

    @Test func `a person is waited for longer, but not for ever`() throws {
        var recovery = try asking()
        #expect(recovery.deadline == 1500)
        #expect(recovery.advance(at: 1499) { _ in true } == .wait(until: 1500))
        #expect(recovery.advance(at: 1500) { _ in true } == .end(Self.lost))
    }

    @Test func `a portal that cannot yet is asked again, for as long as PipeWire may be away`() throws {
        var recovery = try asking()
        #expect(recovery.failed(.castRefused(""), at: 1011) == .wait(until: 1021))
        #expect(recovery.advance(at: 1021) { _ in true } == .ask)
        #expect(recovery.failed(VideoSourceError(""), at: 1100) == .end(Self.lost))
        #expect(recovery.advance(at: 1101) { _ in true } == .end(Self.lost))
    }

    @Test func `the person's no is the end`() throws {
        var recovery = try asking()
        #expect(recovery.failed(.screenCastDeclined, at: 1011) == .end(Self.lost))
    }

    @Test func `a desktop whose cast stopped while PipeWire ran is asked once`() throws {
        var recovery = try asking(from: .castStopped)
        #expect(recovery.failed(.castGaveNoFrame(seconds: 5), at: 1011) == .end(.castStopped))
    }

    private func ended(by loss: VideoSourceError) throws -> CastRecovery {
        try #require(
            CastRecovery(from: loss, isOfMonitor: true, monitor: "DP-1", at: 1000, limits: Self.limits))
    }

    @Test func `a cast that the person has ended is over, once its monitor was looked for`() throws {
        var recovery = try ended(by: .screenCastClosed)
        #expect(recovery.deadline == 1000 && recovery.interruption == nil)
        var sought: [CastRecovery.Sought] = []
        for (now, next) in [(Int64(1000), Int64(1003)), (1003, 1006)] {
            let step = recovery.advance(at: now) {
                sought.append($0)
                return true
            }
            #expect(step == .wait(until: next) && recovery.interruption == nil)
        }
        #expect(recovery.advance(at: 1006) { _ in true } == .end(.screenCastClosed))
        #expect(sought == [.monitor, .monitor])
        let window = CastRecovery(from: .screenCastClosed, isOfMonitor: false, monitor: "DP-1", at: 1000)
        #expect(window == nil, "a window is no monitor")
    }

    @Test(arguments: [VideoSourceError.screenCastClosed, .castStopped])
    func `a monitor that is unplugged is waited for without a limit, then the portal is asked`(
        loss: VideoSourceError
    ) throws {
        var recovery = try ended(by: loss)
        // The compositor lists it for a moment.
        #expect(recovery.advance(at: 1000) { _ in true } == .wait(until: 1003))
        #expect(recovery.advance(at: 1003) { _ in false } == .wait(until: 1013))
        #expect(recovery.interruption == SourceInterruption(.monitorGone, monitor: "DP-1"))
        #expect(recovery.advance(at: 9_000_000) { _ in false } == .wait(until: 9_000_010))
        #expect(recovery.advance(at: 9_000_010) { $0 == .monitor } == .ask)
        #expect(recovery.deadline == .max, "the person may be away, as the monitor was")
        #expect(recovery.failed(.castGaveNoFrame(seconds: 5), at: 9_000_020) == .wait(until: 9_000_030))
        #expect(recovery.advance(at: 9_000_030) { $0 == .monitor } == .ask)
        #expect(recovery.failed(.castRefused(""), at: 9_000_100) == .end(loss))
    }

    @Test func `the person's no after a monitor's return is the end`() throws {
        var recovery = try ended(by: .screenCastClosed)
        #expect(recovery.advance(at: 1000) { _ in false } == .wait(until: 1010))
        #expect(recovery.advance(at: 1010) { _ in true } == .ask)
        #expect(recovery.failed(.screenCastDeclined, at: 1011) == .end(.screenCastClosed))
    }

    @Test func `a desktop whose cast stopped with the monitor in place is asked once`() throws {
        var recovery = try ended(by: .castStopped)
        #expect(recovery.advance(at: 1006) { _ in true } == .wait(until: 1016))
        #expect(recovery.interruption?.reason == .castStopped)
        #expect(recovery.advance(at: 1016) { $0 == .pipeWire } == .ask)
        #expect(recovery.failed(.castGaveNoFrame(seconds: 5), at: 1017) == .end(.castStopped))
    }
}
