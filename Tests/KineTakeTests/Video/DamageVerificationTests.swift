// Reads without a report.
import Testing

@testable import KineTake

@Suite struct DamageVerificationTests {
    private func rows(_ look: DamageVerification.Look?) -> [Int]? {
        guard case .strips(let rows) = look else { return nil }
        return rows
    }

    @Test(arguments: Array(1...20) + [31, 45, 68, 135])
    func `every row of tiles is looked at in an eighth as many looks`(rows count: Int) throws {
        var verification = DamageVerification(rows: count, now: 0)
        var seen: Set<Int> = []
        var now: Int64 = 0
        for _ in 0..<(count + 7) / 8 {
            now += DamageVerification.interval
            let look = verification.look(at: now)
            let strips = try #require(rows(look))
            #expect(strips.allSatisfy { (0..<count).contains($0) })
            seen.formUnion(strips)
        }
        #expect(seen == Set(0..<count))
    }

    @Test func `between two looks nothing is read`() {
        var verification = DamageVerification(rows: 68, now: 100)
        let due = 100 + DamageVerification.interval
        #expect(verification.deadline == due)
        let looks = [100, due - 1, due, due].map { verification.look(at: $0) }
        #expect(looks.map { $0 != nil } == [false, false, true, false])
        #expect(verification.deadline == due + DamageVerification.interval)
    }

    @Test func `an unreported change has everything read for a while, and each further one for longer`() {
        var verification = DamageVerification(rows: 10, now: 0)
        verification.foundUnreported(at: 1000)
        let soon = verification.look(at: 1001)
        #expect(soon == .all)
        verification.foundUnreported(at: 5000)
        let end = 5000 + DamageVerification.fullReadInterval
        #expect(verification.readsAll(at: end - 1))
        #expect(!verification.readsAll(at: end))
        let late = verification.look(at: end - 1)
        #expect(late == .all)
        let after = verification.look(at: end)
        #expect(rows(after) != nil)
    }
}
