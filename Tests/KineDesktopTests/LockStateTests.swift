// What several services say of the lock, in every order.
import Testing

@testable import KineDesktop

@Suite struct LockStateTests {
    private struct Simulation {
        var words: [LockState.Witness: Bool] = [:]
        /// Nobody is left who said that it is locked.
        var isLost = false
        var told: Bool?
        var hasSession = false
        var isLocked: Bool { words.contains { $0.value && ($0.key != .gnome || !hasSession) } }

        /// The news that follows from a word; nil: the service has gone.
        mutating func take(_ witness: LockState.Witness, _ word: Bool?) -> LockState.News? {
            words[witness] = word ?? false
            if witness == .logind { hasSession = word != nil }
            let isKnown = isLocked || words.count == LockState.Witness.allCases.count || told != nil
            if word == nil, told == true {
                let wasLost = isLost
                isLost = !isLocked
                return isLost && !wasLost ? .lost : nil
            }
            let wasLost = isLost
            isLost = false
            let isLocked = isKnown ? isLocked : nil
            defer { told = isLocked }
            return isLocked == told && !wasLost ? nil : isLocked.map { .locked($0) }
        }
    }

    @Test func `it is told once it is known, then every change, and a service that goes never unlocks`() {
        let words = LockState.Witness.allCases.flatMap { witness in [(witness, false), (witness, true), (witness, nil)]
        }
        let length = 4
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

    @Test func `GNOME's shield without a lock is none where logind has the session, another's word is`() {
        func told(_ words: [(LockState.Witness, Bool)]) -> LockState.News? {
            var state = LockState()
            var last = state.miss(LockState.Witness.allCases.filter { witness in !words.contains { $0.0 == witness } })
            for (witness, isLocked) in words { last = state.hear(witness, isLocked: isLocked) ?? last }
            return last
        }
        #expect(told([(.logind, false), (.gnome, true)]) == .locked(false))
        #expect(told([(.gnome, true), (.logind, true)]) == .locked(true))
        #expect(told([(.gnome, true)]) == .locked(true))
        for witness in LockState.Witness.allCases where witness != .gnome && witness != .logind {
            #expect(told([(.logind, false), (witness, true)]) == .locked(true))
        }
    }
}
