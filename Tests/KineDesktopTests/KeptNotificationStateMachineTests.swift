// Every order of events up to a length, against a model of a notification server.
import Testing

@testable import KineDesktop

@Suite struct KeptNotificationStateMachineTests {
    private static func notification(_ title: String) -> Notification {
        Notification(
            sender: "Kinecast", icon: "", title: title, text: "", actions: [], urgency: .low, isResident: true)
    }

    private enum Step: CaseIterable {
        case wantOne, wantOther, wantNone
        case serverStarts, serverEnds
        /// The oldest outstanding answer arrives.
        case answer
        case dismiss
    }

    /// The machine, and a server that does as it is told, whose answers are delivered later.
    private struct Simulation {
        var machine = KeptNotificationStateMachine()
        var wanted: Notification?
        var isServerThere = false
        /// What the machine was told of that.
        var isServerKnown = false
        var shown: [UInt32: Notification] = [:]
        var lastID: UInt32 = 0
        var answers: [KeptNotificationStateMachine.Input] = []
        /// What the person closed last, until something else was wanted and the machine knew of the closing.
        var dismissed: Notification?

        mutating func take(_ step: Step) {
            switch step {
            case .wantOne: want(notification("one"))
            case .wantOther: want(notification("other"))
            case .wantNone: want(nil)
            case .serverStarts where !isServerThere:
                isServerThere = true
                isServerKnown = true
                give(.serverFound)
            case .serverEnds where isServerThere:
                isServerThere = false
                shown = [:]
                // The bus may answer for a server that has gone before it says so; later answers are not passed on.
                let left = answers
                answers = []
                for answer in left { if case .shown = answer { give(.refused) } else { give(answer) } }
                isServerKnown = false
                give(.serverLost)
                answers = []
                shown = [:]
            case .answer where !answers.isEmpty: give(answers.removeFirst())
            case .dismiss:
                guard let (id, closed) = shown.first else { return }
                shown = [:]
                dismissed = closed
                // Signals and answers of a server come in its order.
                answers.append(.disappeared(id: id))
            case .serverStarts, .serverEnds, .answer: break
            }
        }

        private mutating func want(_ notification: Notification?) {
            if notification != dismissed, answers.isEmpty { dismissed = nil }
            wanted = notification
            give(.want(notification))
        }

        private mutating func give(_ input: KeptNotificationStateMachine.Input) {
            for action in machine.handle(input) {
                #expect(isServerKnown, "nothing is asked of a server that is known to be gone")
                switch action {
                case .notify(let notification, let id):
                    #expect(!answers.contains { if case .shown = $0 { true } else { false } }, "one at a time")
                    lastID += 1
                    let new = shown[id] == nil ? lastID : id
                    shown[new] = notification
                    answers.append(.shown(id: new))
                case .close(let id):
                    shown[id] = nil
                    answers.append(.closed)
                case .perform: Issue.record("nothing was pressed")
                }
            }
        }

        mutating func settle() { while !answers.isEmpty { take(.answer) } }

        private func notification(_ title: String) -> Notification {
            KeptNotificationStateMachineTests.notification(title)
        }
    }

    @Test func `the desktop ends up with what is wanted, in every order of events`() {
        let steps = Step.allCases
        let length = 6
        var count = 1
        for _ in 0..<length { count *= steps.count }
        for number in 0..<count {
            var simulation = Simulation()
            var rest = number
            for _ in 0..<length {
                simulation.take(steps[rest % steps.count])
                rest /= steps.count
            }
            simulation.settle()
            let expected = simulation.isServerThere ? simulation.wanted : nil
            let isRight =
                simulation.shown.values.map(\.title) == (expected.map { [$0.title] } ?? [])
                || simulation.shown.isEmpty && simulation.dismissed == expected
            guard isRight else {
                Issue.record(
                    "sequence \(number) shows \(simulation.shown), wanted \(String(describing: simulation.wanted))")
                return
            }
            #expect(
                simulation.machine.isAtRest
                    == (simulation.shown.isEmpty && (simulation.wanted == nil || !simulation.isServerThere)))
        }
    }

    @Test func `a button counts for the notification that is shown or being replaced, and for no other`() {
        var machine = KeptNotificationStateMachine()
        _ = machine.handle(.serverFound)
        _ = machine.handle(.want(Self.notification("one")))
        #expect(machine.handle(.action(id: 7, key: "stop")) == [])
        _ = machine.handle(.shown(id: 7))
        #expect(machine.handle(.action(id: 8, key: "stop")) == [])
        #expect(machine.handle(.action(id: 7, key: "stop")) == [.perform(key: "stop")])
        #expect(
            machine.handle(.want(Self.notification("other"))) == [
                .notify(Self.notification("other"), replacing: 7)
            ])
        #expect(machine.handle(.action(id: 7, key: "stop")) == [.perform(key: "stop")])
        _ = machine.handle(.shown(id: 7))
        #expect(machine.handle(.want(nil)) == [.close(id: 7)])
        #expect(machine.handle(.action(id: 7, key: "stop")) == [])
    }

    @Test func `what a server refuses is not asked again until it says something else`() {
        var machine = KeptNotificationStateMachine()
        _ = machine.handle(.serverFound)
        #expect(machine.handle(.want(Self.notification("one"))).count == 1)
        #expect(machine.handle(.refused) == [])
        #expect(machine.handle(.want(Self.notification("one"))) == [])
        #expect(machine.handle(.want(Self.notification("other"))).count == 1)
    }
}
