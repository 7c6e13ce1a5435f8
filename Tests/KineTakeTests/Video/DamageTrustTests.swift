// Reads without a report.
import Testing

@testable import KineTake

@Suite struct DamageTrustTests {
    private func rows(_ look: DamageTrust.Look?) -> [Int]? {
        guard case .strips(let rows) = look else { return nil }
        return rows
    }

    @Test(arguments: Array(1...20) + [31, 45, 68, 135])
    func `every row of tiles is looked at in an eighth as many looks`(rows count: Int) throws {
        var trust = DamageTrust(rows: count, now: 0)
        var seen: Set<Int> = []
        var now: Int64 = 0
        for _ in 0..<(count + 7) / 8 {
            now += DamageTrust.interval
            let look = trust.look(at: now)
            let strips = try #require(rows(look))
            #expect(strips.allSatisfy { (0..<count).contains($0) })
            seen.formUnion(strips)
        }
        #expect(seen == Set(0..<count))
    }

    @Test func `between two looks nothing is read`() {
        var trust = DamageTrust(rows: 68, now: 100)
        let due = 100 + DamageTrust.interval
        #expect(trust.deadline == due)
        let looks = [100, due - 1, due, due].map { trust.look(at: $0) }
        #expect(looks.map { $0 != nil } == [false, false, true, false])
        #expect(trust.deadline == due + DamageTrust.interval)
    }

    @Test func `an unreported change has everything read for a while, and each further one for longer`() {
        var trust = DamageTrust(rows: 10, now: 0)
        trust.foundUnreported(at: 1000)
        let soon = trust.look(at: 1001)
        #expect(soon == .all)
        trust.foundUnreported(at: 5000)
        let end = 5000 + DamageTrust.suspicion
        #expect(trust.isSuspicious(at: end - 1))
        #expect(!trust.isSuspicious(at: end))
        let late = trust.look(at: end - 1)
        #expect(late == .all)
        let after = trust.look(at: end)
        #expect(rows(after) != nil)
    }
}
