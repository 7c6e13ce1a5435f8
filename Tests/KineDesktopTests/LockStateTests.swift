// What several services say of the lock, in every order.
import Testing

@testable import KineDesktop

@Suite struct LockStateTests {
    @Test func `it is told once it is known, and then every change, in every order of words`() {
        let words = LockState.Witness.allCases.flatMap { witness in [(witness, false), (witness, true)] }
        let length = 6
        let count = (0..<length).reduce(1) { count, _ in count * words.count }
        for number in 0..<count {
            var state = LockState()
            var said: [LockState.Witness: Bool] = [:]
            var told: Bool?
            var rest = number
            for _ in 0..<length {
                let (witness, isLocked) = words[rest % words.count]
                rest /= words.count
                said[witness] = isLocked
                let news = state.hear(witness, isLocked: isLocked)
                let isKnown =
                    said.values.contains(true) || said.count == LockState.Witness.allCases.count || told != nil
                let expected = isKnown ? said.values.contains(true) : nil
                guard news == (expected == told ? nil : expected) else {
                    Issue.record("sequence \(number)")
                    return
                }
                told = expected
            }
        }
    }
}
