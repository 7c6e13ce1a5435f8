// Every order of events up to a length, against what the services hold.
import Testing

@testable import KineDesktop

@Suite struct SleepInhibitorTests {
    private enum Step {
        case want(String?)
        case grant(Int)
        case refuse(Int)
    }

    private static func inhibition(_ why: String) -> SleepInhibition {
        SleepInhibition(who: "Kinecast", why: why, keepsScreenOn: true)
    }

    private final class Simulation {
        struct Service {
            var asked: (inhibition: SleepInhibition, answer: (SleepInhibitor.Release?) -> Void)?
            var held: SleepInhibition?
            /// Asked since the last change of what is wanted, and refused.
            var hasRefused = false
        }

        private var inhibitor = SleepInhibitor([])
        var wanted: SleepInhibition?
        /// The last one is asked only if all others have refused.
        var services: [Service]

        init(services count: Int) {
            services = Array(repeating: Service(), count: count + 1)
            inhibitor = SleepInhibitor((0..<count).map(service), lastResort: service(count))
        }

        var isAtRest: Bool { inhibitor.isAtRest }

        private func service(_ number: Int) -> SleepInhibitor.Service {
            { [unowned self] inhibition, answer in
                #expect(services[number].asked == nil, "one request at a time")
                services[number].asked = (inhibition, answer)
            }
        }

        func take(_ step: Step) {
            switch step {
            case .want(let why):
                let inhibition = why.map(SleepInhibitorTests.inhibition)
                if inhibition != wanted { for number in services.indices { services[number].hasRefused = false } }
                wanted = inhibition
                inhibitor.want(inhibition)
            case .grant(let number):
                guard let asked = services[number].asked else { return }
                #expect(services[number].held == nil, "there is one at a time")
                services[number].held = asked.inhibition
                services[number].asked = nil
                asked.answer({ [unowned self] in
                    #expect(services[number].held != nil, "what is released is held")
                    services[number].held = nil
                })
            case .refuse(let number):
                guard let asked = services[number].asked else { return }
                services[number].asked = nil
                services[number].hasRefused = true
                asked.answer(nil)
            }
        }
    }

    @Test(arguments: 0...2)
    func `what is wanted is held by each that does not refuse it, and nothing else is, in every order of events`(
        count: Int
    ) {
        let steps: [Step] =
            [.want("one"), .want("other"), .want(nil), .grant(count)]
            + (0..<count).flatMap { [.grant($0), .refuse($0)] }
        let length = 6
        let sequences = (0..<length).reduce(1) { product, _ in product * steps.count }
        for sequence in 0..<sequences {
            let simulation = Simulation(services: count)
            var rest = sequence
            for _ in 0..<length {
                simulation.take(steps[rest % steps.count])
                rest /= steps.count
            }
            for number in 0...count {
                while simulation.services[number].asked != nil { simulation.take(.grant(number)) }
            }
            let others = simulation.services.dropLast()
            let isRight =
                others.allSatisfy { $0.held == simulation.wanted || $0.held == nil && $0.hasRefused }
                && simulation.services[count].held == (others.allSatisfy { $0.held == nil } ? simulation.wanted : nil)
            guard isRight, simulation.isAtRest else {
                Issue.record("sequence \(sequence): \(simulation.services.map(\.held))")
                return
            }
        }
    }

    @Test func `all but the last resort are asked at once, and none a second time`() {
        let simulation = Simulation(services: 2)
        simulation.take(.want("one"))
        #expect(simulation.services.dropLast().allSatisfy { $0.asked?.inhibition == Self.inhibition("one") })
        #expect(!simulation.isAtRest)
        simulation.take(.refuse(0))
        simulation.take(.grant(1))
        #expect(simulation.isAtRest && simulation.services[1].held == Self.inhibition("one"))
        simulation.take(.want("one"))
        #expect(simulation.isAtRest, "the one has refused it, and the other holds it")
        simulation.take(.want(nil))
        #expect(simulation.services.allSatisfy { $0.held == nil })
        simulation.take(.want("one"))
        #expect(simulation.services.dropLast().allSatisfy { $0.asked != nil })
    }
}
