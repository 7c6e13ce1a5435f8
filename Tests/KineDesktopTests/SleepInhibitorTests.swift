// Every order of events up to a length, against what the services hold.
import Testing

@testable import KineDesktop

@Suite struct SleepInhibitorTests {
    private enum Step: CaseIterable {
        case want, wantOther, wantNothing, grant, refuse
    }

    private static func inhibition(_ why: String) -> SleepInhibition {
        SleepInhibition(who: "Kinecast", why: why, keepsScreenOn: true)
    }

    private final class Simulation {
        private var inhibitor = SleepInhibitor([])
        var wanted: SleepInhibition?
        var asked: (service: Int, inhibition: SleepInhibition, answer: (SleepInhibitor.Release?) -> Void)?
        var held: SleepInhibition?
        /// Asked since `wanted` changed, and refused.
        var refusals = 0

        init(services: Int) { inhibitor = SleepInhibitor((0..<services).map(service)) }

        private func service(_ number: Int) -> SleepInhibitor.Service {
            { [unowned self] inhibition, answer in
                #expect(asked == nil, "one request at a time")
                asked = (number, inhibition, answer)
            }
        }

        func take(_ step: Step) {
            switch step {
            case .want: want(SleepInhibitorTests.inhibition("one"))
            case .wantOther: want(SleepInhibitorTests.inhibition("other"))
            case .wantNothing: want(nil)
            case .grant:
                guard let asked else { return }
                #expect(held == nil, "there is one at a time")
                held = asked.inhibition
                self.asked = nil
                asked.answer({ [unowned self] in
                    #expect(held != nil, "what is released is held")
                    held = nil
                })
            case .refuse:
                guard let asked else { return }
                self.asked = nil
                refusals += 1
                asked.answer(nil)
            }
        }

        func want(_ inhibition: SleepInhibition?) {
            if inhibition != wanted { refusals = 0 }
            wanted = inhibition
            inhibitor.want(inhibition)
        }
    }

    @Test(arguments: 0...2)
    func `what is wanted is held unless all have refused it, and nothing else is, in every order of events`(
        services: Int
    ) {
        let steps = Step.allCases
        let length = 7
        let count = (0..<length).reduce(1) { count, _ in count * steps.count }
        for number in 0..<count {
            let simulation = Simulation(services: services)
            var rest = number
            for _ in 0..<length {
                simulation.take(steps[rest % steps.count])
                rest /= steps.count
            }
            while simulation.asked != nil { simulation.take(.grant) }
            let isHeld = simulation.held == simulation.wanted
            guard isHeld || simulation.held == nil && (services == 0 || simulation.refusals > 0) else {
                Issue.record("sequence \(number): \(String(describing: simulation.held))")
                return
            }
        }
    }

    @Test func `the next is asked when one refuses, and none a second time`() {
        let one = Self.inhibition("one")
        let simulation = Simulation(services: 2)
        simulation.want(one)
        #expect(simulation.asked?.service == 0 && simulation.asked?.inhibition == one)
        simulation.take(.refuse)
        #expect(simulation.asked?.service == 1 && simulation.asked?.inhibition == one)
        simulation.take(.refuse)
        #expect(simulation.asked == nil)
        simulation.want(one)
        #expect(simulation.asked == nil)
        simulation.want(nil)
        simulation.want(one)
        #expect(simulation.asked?.service == 0)
    }
}
