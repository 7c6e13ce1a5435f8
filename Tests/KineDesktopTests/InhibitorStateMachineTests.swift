// Every order of events up to a length, against what the services hold.
import Testing

@testable import KineDesktop

@Suite struct InhibitorStateMachineTests {
    private typealias Machine = InhibitorStateMachine

    private enum Step: CaseIterable {
        case want, wantOther, wantNothing, grant, refuse
    }

    private static func inhibition(_ why: String) -> SleepInhibition {
        SleepInhibition(who: "Kinecast", why: why, keepsScreenOn: true)
    }

    private struct Simulation {
        var machine: Machine
        var wanted: SleepInhibition?
        var asked: (Machine.Route, SleepInhibition)?
        var held: (Machine.Route, SleepInhibition)?
        /// Asked since `wanted` changed, and refused.
        var refusals = 0

        mutating func take(_ step: Step) {
            switch step {
            case .want: want(inhibition("one"))
            case .wantOther: want(inhibition("other"))
            case .wantNothing: want(nil)
            case .grant:
                guard let asked else { return }
                #expect(held == nil, "there is one at a time")
                held = asked
                self.asked = nil
                give(.granted(asked.0))
            case .refuse:
                guard let asked else { return }
                self.asked = nil
                refusals += 1
                give(.refused(asked.0))
            }
        }

        private mutating func want(_ inhibition: SleepInhibition?) {
            if inhibition != wanted { refusals = 0 }
            wanted = inhibition
            give(.want(inhibition))
        }

        private mutating func give(_ input: Machine.Input) {
            for action in machine.handle(input) {
                switch action {
                case .request(let route, let inhibition):
                    #expect(asked == nil, "one request at a time")
                    asked = (route, inhibition)
                case .release(let route):
                    #expect(held?.0 == route, "what is released is held")
                    held = nil
                }
            }
        }

        private func inhibition(_ why: String) -> SleepInhibition { InhibitorStateMachineTests.inhibition(why) }
    }

    @Test(arguments: [[], [.logind], [.screenSaver], [.logind, .screenSaver]] as [[InhibitorStateMachine.Route]])
    func `what is wanted is held unless all have refused it, and nothing else is, in every order of events`(
        routes: [InhibitorStateMachine.Route]
    ) {
        let steps = Step.allCases
        let length = 7
        let count = (0..<length).reduce(1) { count, _ in count * steps.count }
        for number in 0..<count {
            var simulation = Simulation(machine: Machine(routes: routes))
            var rest = number
            for _ in 0..<length {
                simulation.take(steps[rest % steps.count])
                rest /= steps.count
            }
            while simulation.asked != nil { simulation.take(.grant) }
            let isHeld = simulation.held?.1 == simulation.wanted
            guard isHeld || simulation.held == nil && (routes.isEmpty || simulation.refusals > 0) else {
                Issue.record("sequence \(number): \(String(describing: simulation.held))")
                return
            }
        }
    }

    @Test func `the next is asked when one refuses, and nobody a second time`() {
        let one = Self.inhibition("one")
        var machine = Machine(routes: [.logind, .screenSaver])
        #expect(machine.handle(.want(one)) == [.request(.logind, one)])
        #expect(machine.handle(.refused(.logind)) == [.request(.screenSaver, one)])
        #expect(machine.handle(.refused(.screenSaver)) == [])
        #expect(machine.handle(.want(one)) == [])
        #expect(machine.handle(.want(nil)) == [])
        #expect(machine.handle(.want(one)) == [.request(.logind, one)])
    }
}
