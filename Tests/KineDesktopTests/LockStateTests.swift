// What several services say of the lock, in every order.
import Testing

@testable import KineDesktop

@Suite struct LockStateTests {
    private struct Simulation {
        var words: [LockState.Witness: Bool] = [:]
        /// Nobody is left who said that it is locked.
        var isLost = false
        var told: Bool?

        /// The news that follows from a word; nil: the service has gone.
        mutating func take(_ witness: LockState.Witness, _ word: Bool?) -> LockState.News? {
            words[witness] = word ?? false
            let isKnown = words.values.contains(true) || words.count == LockState.Witness.allCases.count || told != nil
            if word == nil, told == true {
                let wasLost = isLost
                isLost = !words.values.contains(true)
                return isLost && !wasLost ? .lost : nil
            }
            let wasLost = isLost
            isLost = false
            let isLocked = isKnown ? words.values.contains(true) : nil
            defer { told = isLocked }
            return isLocked == told && !wasLost ? nil : isLocked.map { .locked($0) }
        }
    }

    @Test func `it is told once it is known, then every change, and a service that goes never unlocks`() {
        let words = LockState.Witness.allCases.flatMap { witness in [(witness, false), (witness, true), (witness, nil)]
        }
        let length = 5
        let count = (0..<length).reduce(1) { count, _ in count * words.count }
        for number in 0..<count {
            var (state, simulation) = (LockState(), Simulation())
            var rest = number
            for _ in 0..<length {
                let (witness, word) = words[rest % words.count]
                rest /= words.count
                let news = if let word { state.hear(witness, isLocked: word) } else { state.miss([witness]) }
                guard news == simulation.take(witness, word) else {
                    Issue.record("sequence \(number)")
                    return
                }
            }
        }
    }
}
