// Which notifications are shown, when, and who is told of them.
import KineDesktop
import KineWire
import Testing

@testable import KineHost

@Suite struct LocalNotificationStateMachineTests {
    private typealias Machine = LocalNotificationStateMachine

    private static let second: Int64 = 1_000_000_000

    private func post(_ identifier: String, delay: Double = 0) -> Machine.Post {
        Machine.Post(contents: NotificationContents(identifier: identifier, title: identifier, delay: delay))
    }

    private func shown(_ actions: [Machine.Action]) -> [Int] {
        actions.compactMap { if case .show(_, _, let number) = $0 { number } else { nil } }
    }

    private func refusal(_ actions: [Machine.Action]) -> DesktopFailure.Code? {
        if case .answer(_, let failure?) = actions.first { failure.code } else { nil }
    }

    @Test func `a notification is answered when the desktop shows it, and a later one with its identifier replaces it`()
    {
        var machine = Machine()
        let first = machine.handle(.post(post("a"), from: .app, request: 1), at: 0)
        #expect(first == [.show(post("a"), of: .app, number: 1)])
        #expect(machine.handle(.desktop(1, .shown), at: 0) == [.answer(request: 1, nil)])
        #expect(shown(machine.handle(.post(post("a"), from: .app, request: 2), at: 0)) == [1])
        #expect(shown(machine.handle(.post(post("b"), from: .app, request: 3), at: 0)) == [2])
    }

    @Test func `the same identifier of another sender is another notification`() {
        var machine = Machine()
        #expect(shown(machine.handle(.post(post("a"), from: .service(destination: 0), request: 1), at: 0)) == [1])
        #expect(shown(machine.handle(.post(post("a"), from: .service(destination: 1), request: 2), at: 0)) == [2])
        #expect(
            machine.handle(.withdraw(identifier: "a", from: .service(destination: 1)), at: 0) == [.remove(number: 2)])
    }

    @Test func `three are shown at once and then one in ten seconds, replacements too, and the refusal says when`() {
        var machine = Machine()
        for request in 1...3 {
            #expect(shown(machine.handle(.post(post("a"), from: .app, request: request), at: 0)) == [1])
        }
        let refused = machine.handle(.post(post("a"), from: .app, request: 4), at: Self.second)
        guard case .answer(4, let failure?) = refused.first else { return #expect(Bool(false), "\(refused)") }
        #expect(failure.code == .tooMany && failure.message.contains("9 s"))
        #expect(shown(machine.handle(.post(post("b"), from: .service(destination: 0), request: 5), at: 0)) == [2])
        #expect(shown(machine.handle(.post(post("a"), from: .app, request: 6), at: 10 * Self.second)) == [1])
        #expect(refusal(machine.handle(.post(post("a"), from: .app, request: 7), at: 19 * Self.second)) == .tooMany)
    }

    @Test func `a delayed one is answered at once, shown when it is due, and taken back before`() {
        var machine = Machine()
        #expect(
            machine.handle(.post(post("a", delay: 5), from: .app, request: 1), at: 0) == [.answer(request: 1, nil)])
        #expect(machine.nextDeadline == 5 * Self.second)
        #expect(machine.handle(.timePassed, at: 4 * Self.second) == [])
        #expect(shown(machine.handle(.timePassed, at: 5 * Self.second)) == [1])
        #expect(machine.nextDeadline == nil && !machine.hasPending)
        _ = machine.handle(.post(post("b", delay: 5), from: .app, request: 2), at: 0)
        #expect(machine.handle(.withdraw(identifier: "b", from: .app), at: 0) == [])
        #expect(machine.handle(.timePassed, at: 100 * Self.second) == [])
    }

    @Test func `one that is posted now takes the place of the delayed one with its identifier`() {
        var machine = Machine()
        _ = machine.handle(.post(post("a", delay: 5), from: .app, request: 1), at: 0)
        #expect(shown(machine.handle(.post(post("a"), from: .app, request: 2), at: 0)) == [1])
        #expect(machine.handle(.timePassed, at: 5 * Self.second) == [])
    }

    @Test func `delayed ones that are due together wait for their turn, and none is lost`() {
        var machine = Machine()
        for number in 1...5 {
            _ = machine.handle(.post(post("\(number)", delay: 1), from: .app, request: number), at: 0)
        }
        #expect(shown(machine.handle(.timePassed, at: Self.second)).count == 3)
        #expect(machine.nextDeadline == 11 * Self.second)
        #expect(shown(machine.handle(.timePassed, at: 11 * Self.second)).count == 1)
        #expect(shown(machine.handle(.timePassed, at: 21 * Self.second)).count == 1)
        #expect(!machine.hasPending)
    }

    @Test func `the engine's own words wait for their turn, and the last of a destination counts`() {
        var machine = Machine()
        for number in 1...4 { _ = machine.handle(.post(post("\(number)"), from: .engine, request: nil), at: 0) }
        _ = machine.handle(.post(post("4", delay: 0.5), from: .engine, request: nil), at: Self.second)
        let last = machine.handle(.timePassed, at: 10 * Self.second)
        #expect(last == [.show(post("4", delay: 0.5), of: .engine, number: 4)])
    }

    @Test func `a sender has at most 64 pending, and may replace those`() {
        var machine = Machine()
        for number in 0..<64 {
            let answer = machine.handle(.post(post("\(number)", delay: 9), from: .app, request: number), at: 0)
            #expect(answer == [.answer(request: number, nil)])
        }
        #expect(refusal(machine.handle(.post(post("x", delay: 9), from: .app, request: 64), at: 0)) == .tooMany)
        #expect(refusal(machine.handle(.post(post("0", delay: 9), from: .app, request: 65), at: 0)) == nil)
    }

    @Test func `nobody shows it: everyone who waits learns that, and the next post begins anew`() {
        var machine = Machine()
        _ = machine.handle(.post(post("a"), from: .app, request: 1), at: 0)
        _ = machine.handle(.post(post("a"), from: .app, request: 2), at: 0)
        let answers = machine.handle(.desktop(1, .notShown), at: 0)
        #expect(answers.count == 2)
        #expect(
            answers.allSatisfy { if case .answer(_, let failure?) = $0 { failure.code == .unavailable } else { false } }
        )
        #expect(shown(machine.handle(.post(post("a"), from: .app, request: 3), at: 0)) == [2])
    }

    @Test func `a click gives the payload back, and one on a notification that is gone does nothing`() {
        var machine = Machine()
        var post = post("a")
        post.contents.payload = ["room": "1"]
        _ = machine.handle(.post(post, from: .app, request: 1), at: 0)
        _ = machine.handle(.desktop(1, .shown), at: 0)
        #expect(
            machine.handle(.desktop(1, .activated(key: "default", token: "t")), at: 0)
                == [.activated(.app, NotificationActivation(identifier: "a", payload: ["room": "1"], token: "t"))])
        let button = machine.handle(.desktop(1, .activated(key: "retry", token: nil)), at: 0)
        #expect(
            button == [
                .activated(.app, NotificationActivation(identifier: "a", action: "retry", payload: ["room": "1"]))
            ])
        _ = machine.handle(.desktop(1, .closed), at: 0)
        #expect(machine.handle(.desktop(1, .activated(key: "default", token: nil)), at: 0) == [])
    }

    @Test func `of many shown ones only the newest are remembered`() {
        var machine = Machine()
        for number in 1...70 {
            let now = Int64(number) * 10 * Self.second
            _ = machine.handle(.post(post("\(number)"), from: .app, request: number), at: now)
            _ = machine.handle(.desktop(number, .shown), at: now)
        }
        #expect(machine.handle(.desktop(1, .activated(key: "default", token: nil)), at: 0) == [])
        #expect(machine.handle(.desktop(70, .activated(key: "default", token: nil)), at: 0).count == 1)
    }
}
