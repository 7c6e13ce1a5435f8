// How viewers are counted, and how often they request keyframes.
import CoreTesting
import KineLive
import Testing

@Suite struct AudienceTests {
    @Test func `viewers are counted while they watch`() {
        var audience = Audience()
        let members = (0..<3).map { _ in audience.join() }
        #expect(audience.count == 3 && members.allSatisfy { audience.includes($0) })
        audience.leave(members[1])
        #expect(audience.count == 2)
    }

    @Test func `dismissed viewers are not counted, and leaving later takes nobody else away`() {
        var audience = Audience()
        let old = audience.join()
        audience.dismissAll()
        #expect(audience.count == 0 && !audience.includes(old))
        let new = audience.join()
        audience.leave(old)
        #expect(audience.count == 1 && audience.includes(new) && !audience.includes(old))
    }

    /// Many viewers lag, for a long time, in steps that do not fit the interval.
    @Test(.tags(.slow)) func `all viewers together request one keyframe in two seconds`() {
        for step in [1, 7, 333, 1999, 2000, 2001] {
            var audience = Audience()
            let instants = stride(from: Int64(0), to: 60_000_000_000, by: step * 1_000_000)
            let asked = instants.flatMap { now in
                (0..<200).filter { _ in audience.allowsKeyframeRequest(at: now) }.map { _ in now }
            }
            #expect(asked.first == 0)
            for (before, after) in zip(asked, asked.dropFirst()) {
                #expect(after - before >= 2_000_000_000 && after - before < 2_000_000_000 + Int64(step) * 1_000_000)
            }
        }
    }
}
