// Every state of ReconnectStateMachine with every event: the state that follows.
import KineRTMP
import Testing

@Suite struct ReconnectTransitionTests {
    typealias Machine = RTMPReconnectStateMachine

    private static let second: Int64 = 1_000_000_000

    /// How the machine comes into each state. Connection 1 is the first, 2 the one after it.
    enum Start: String, CaseIterable {
        case idle
        case dialing
        case dialingStale
        case redirecting
        case redirectingToFinish
        case negotiating
        case negotiatingRedirect
        case negotiatingRedirectToFinish
        case accepted
        case acceptedRedirected
        case live
        case liveRedirected
        case racing
        case waiting
        case waitingStale
        case finishing
        case finishingAccepted
        case ended
    }

    /// Events of "the" connection are of the present one; `old` and `candidate` are those of a race.
    enum Event: String, CaseIterable {
        case start
        case finish
        case keyframe
        case connected
        case connectedWhileOldRecovers
        case dialFailed
        case accepted
        case kept
        case authenticate
        case redirected
        case moved
        case movedToForbiddenPort
        case proved
        case progressed
        case suspected
        case stalled
        case failed
        case failedFinally
        case candidateFailed
        case retry
        case race
        case finishDeadline
        /// Any event of a connection that is gone.
        case strayEvents
    }

    /// What follows where anything does; every other pair leaves the state as it is.
    private static let changes: [Start: [Event: String]] = [
        .idle: [.start: "dialing", .finish: "ended"],
        .dialing: [
            .finish: "ended", .connected: "negotiating 1", .connectedWhileOldRecovers: "negotiating 1",
            .dialFailed: "waiting",
        ],
        .dialingStale: [
            .finish: "ended", .connected: "negotiating 2", .connectedWhileOldRecovers: "negotiating 2",
            .dialFailed: "waiting, stale 1",
        ],
        .redirecting: [
            .finish: "dialing redirectThenFinish", .connected: "negotiating 2 redirect",
            .connectedWhileOldRecovers: "negotiating 2 redirect", .dialFailed: "waiting",
        ],
        .redirectingToFinish: [
            .connected: "negotiating 2 redirectThenFinish",
            .connectedWhileOldRecovers: "negotiating 2 redirectThenFinish", .dialFailed: "ended",
            .finishDeadline: "ended",
        ],
        .negotiating: [
            .finish: "ended", .connected: "negotiating 2", .connectedWhileOldRecovers: "negotiating 2",
            .accepted: "accepted 1", .authenticate: "dialing", .redirected: "negotiating 1, redirected",
            .moved: "dialing", .movedToForbiddenPort: "ended",
            .stalled: "waiting, stale 1", .failed: "waiting", .failedFinally: "ended",
        ],
        .negotiatingRedirect: [
            .finish: "negotiating 2 redirectThenFinish", .connected: "negotiating 3 redirect",
            .connectedWhileOldRecovers: "negotiating 3 redirect", .accepted: "accepted 2",
            .authenticate: "dialing redirect", .redirected: "negotiating 2 redirect, redirected",
            .moved: "dialing redirect", .movedToForbiddenPort: "waiting",
            .stalled: "waiting, stale 2", .failed: "waiting",
            // The server that redirected the publisher is still there.
            .failedFinally: "waiting",
        ],
        .negotiatingRedirectToFinish: [
            .connected: "negotiating 3 redirectThenFinish",
            .connectedWhileOldRecovers: "negotiating 3 redirectThenFinish", .accepted: "finishing 2",
            .authenticate: "dialing redirectThenFinish",
            .redirected: "negotiating 2 redirectThenFinish, redirected",
            .moved: "dialing redirectThenFinish", .movedToForbiddenPort: "ended", .stalled: "ended", .failed: "ended",
            .failedFinally: "ended", .finishDeadline: "ended",
        ],
        .accepted: [
            .finish: "finishing 1", .connected: "negotiating 2", .connectedWhileOldRecovers: "negotiating 2",
            .kept: "live 1", .redirected: "accepted 1, redirected", .stalled: "waiting, stale 1", .failed: "waiting",
            .failedFinally: "ended",
        ],
        .acceptedRedirected: [
            .finish: "finishing 1", .keyframe: "dialing redirect", .connected: "negotiating 2",
            .connectedWhileOldRecovers: "negotiating 2", .kept: "live 1, redirected", .stalled: "waiting, stale 1",
            .failed: "waiting", .failedFinally: "ended",
        ],
        .live: [
            .finish: "finishing 1", .connected: "negotiating 2", .connectedWhileOldRecovers: "racing 1, 2",
            .redirected: "live 1, redirected", .proved: "live 1, proven", .stalled: "waiting, stale 1",
            .failed: "waiting", .failedFinally: "ended",
        ],
        .liveRedirected: [
            .finish: "finishing 1", .keyframe: "dialing redirect", .connected: "negotiating 2",
            .connectedWhileOldRecovers: "racing 1, 2", .proved: "live 1, proven, redirected",
            .stalled: "waiting, stale 1", .failed: "waiting", .failedFinally: "ended",
        ],
        .racing: [
            .finish: "finishing 1", .proved: "racing 1, proven, 2", .progressed: "live 1", .stalled: "negotiating 2",
            .failed: "negotiating 2", .failedFinally: "negotiating 2", .candidateFailed: "live 1",
            .race: "negotiating 2",
        ],
        .waiting: [
            .finish: "ended", .connected: "negotiating 1", .connectedWhileOldRecovers: "negotiating 1",
            .retry: "dialing",
        ],
        .waitingStale: [
            .finish: "ended", .connected: "negotiating 2", .connectedWhileOldRecovers: "negotiating 2",
            .retry: "dialing, stale 1",
        ],
        .finishing: [.stalled: "ended", .failed: "ended", .failedFinally: "ended", .finishDeadline: "ended"],
        .finishingAccepted: [.stalled: "ended", .failed: "ended", .failedFinally: "ended", .finishDeadline: "ended"],
    ]

    @Test(arguments: Start.allCases)
    func `each event leads from each state to the one that the table names`(start: Start) throws {
        for event in Event.allCases {
            var machine = try Self.machine(start)
            let before = Self.name(machine.state)
            try Self.happen(event, to: &machine)
            #expect(
                Self.name(machine.state) == Self.changes[start]?[event] ?? before,
                "\(start.rawValue), \(event.rawValue)")
        }
    }

    private static func machine(_ start: Start) throws -> Machine {
        var machine = Machine(try RTMPURL("rtmp://h/app/key"), policy: ReconnectPolicy())
        let lost = try PublishFailure(.connectionLost(nil))
        func accepted() {
            _ = machine.start(now: 0)
            _ = machine.connected(now: 0)
            _ = machine.accepted(1)
        }
        func live() {
            accepted()
            _ = machine.kept(1)
        }
        func redirect() throws {
            if start == .acceptedRedirected { accepted() } else { live() }
            _ = machine.redirected(1, to: try RTMPURL("rtmp://b/app/key"), scope: .global, now: 0)
        }
        func stall() {
            live()
            _ = machine.stalled(1, lost, now: second, jitter: 0.5)
        }
        switch start {
        case .idle: break
        case .dialing: _ = machine.start(now: 0)
        case .dialingStale:
            stall()
            _ = machine.fired(.retry, now: second)
        case .redirecting, .redirectingToFinish, .negotiatingRedirect, .negotiatingRedirectToFinish:
            try redirect()
            _ = machine.keyframe(now: 0)
            if start == .redirectingToFinish || start == .negotiatingRedirectToFinish { _ = machine.finish() }
            if start == .negotiatingRedirect || start == .negotiatingRedirectToFinish {
                _ = machine.connected(now: 0)
            }
        case .negotiating:
            _ = machine.start(now: 0)
            _ = machine.connected(now: 0)
        case .accepted: accepted()
        case .live: live()
        case .acceptedRedirected, .liveRedirected: try redirect()
        case .racing:
            live()
            _ = machine.connected(now: 0, oldRecovers: true)
        case .waiting:
            _ = machine.start(now: 0)
            _ = machine.dialFailed(lost, now: 0, jitter: 0.5)
        case .waitingStale: stall()
        case .finishing:
            live()
            _ = machine.finish()
        case .finishingAccepted:
            accepted()
            _ = machine.finish()
        case .ended: _ = machine.finish()
        }
        return machine
    }

    private static func happen(_ event: Event, to machine: inout Machine) throws {
        let lost = try PublishFailure(.connectionLost(nil))
        let final = try PublishFailure(.certificateUntrusted)
        let id = machine.measured ?? 1
        let authentication = PublisherAuthentication(machine.originalURL, challenge: 1)
        let elsewhere = try RTMPURL("rtmp://c/app/key")
        switch event {
        case .start: _ = machine.start(now: second)
        case .finish: _ = machine.finish()
        case .keyframe: _ = machine.keyframe(now: second)
        case .connected: _ = machine.connected(now: second)
        case .connectedWhileOldRecovers: _ = machine.connected(now: second, oldRecovers: true)
        case .dialFailed: _ = machine.dialFailed(lost, now: second, jitter: 0.5)
        case .accepted: _ = machine.accepted(id)
        case .kept: _ = machine.kept(id)
        case .authenticate: _ = machine.authenticate(id, authentication, now: second)
        case .redirected: _ = machine.redirected(id, to: elsewhere, scope: .global, now: second)
        case .moved: _ = machine.moved(id, to: elsewhere, scope: .global, now: second, jitter: 0.5)
        case .movedToForbiddenPort:
            let forbidden = try RTMPURL("rtmp://c:22/app/key")
            _ = machine.moved(id, to: forbidden, scope: .global, now: second, jitter: 0.5)
        case .proved: machine.proved(id)
        case .progressed: _ = machine.progressed(id)
        case .suspected: _ = machine.suspected(id)
        case .stalled: _ = machine.stalled(id, lost, now: second, jitter: 0.5)
        case .failed: _ = machine.failed(id, lost, now: second, jitter: 0.5)
        case .failedFinally: _ = machine.failed(id, final, now: second, jitter: 0.5)
        case .candidateFailed:
            guard case .racing(_, _, let candidate) = machine.state else { return }
            _ = machine.failed(candidate, lost, now: second, jitter: 0.5)
        case .retry: _ = machine.fired(.retry, now: second)
        case .race: _ = machine.fired(.race, now: second)
        case .finishDeadline: _ = machine.fired(.finish, now: second)
        case .strayEvents:
            #expect(machine.accepted(0) == [] && machine.kept(0) == [])
            #expect(machine.progressed(0) == [] && machine.suspected(0) == [])
            #expect(machine.stalled(0, lost, now: second, jitter: 0.5) == [])
            #expect(machine.failed(0, final, now: second, jitter: 0.5) == [])
            #expect(machine.authenticate(0, authentication, now: second) == [])
            #expect(machine.redirected(0, to: elsewhere, scope: .global, now: second) == [])
            #expect(machine.moved(0, to: elsewhere, scope: .global, now: second, jitter: 0.5) == [])
            machine.proved(0)
        }
    }

    private static func name(_ state: Machine.State) -> String {
        func purpose(_ attempt: Machine.Attempt) -> String {
            attempt.purpose == .stream ? "" : " \(attempt.purpose)"
        }
        func stale(_ id: Machine.ConnectionID?) -> String { id.map { ", stale \($0)" } ?? "" }
        switch state {
        case .idle: return "idle"
        case .dialing(let attempt, let id): return "dialing\(purpose(attempt))\(stale(id))"
        case .negotiating(let id, let attempt):
            return "negotiating \(id)\(purpose(attempt))\(attempt.redirect == nil ? "" : ", redirected")"
        case .accepted(let id, let live): return "accepted \(id)\(live.redirect == nil ? "" : ", redirected")"
        case .live(let id, let live):
            return "live \(id)\(live.isProven ? ", proven" : "")\(live.redirect == nil ? "" : ", redirected")"
        case .racing(let old, let live, let candidate):
            return "racing \(old)\(live.isProven ? ", proven" : ""), \(candidate)"
        case .waiting(let id): return "waiting\(stale(id))"
        case .finishing(let id): return "finishing \(id)"
        case .ended: return "ended"
        }
    }
}
