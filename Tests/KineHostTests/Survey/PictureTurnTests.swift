// Which source of the survey gets its picture next.
import Testing

@testable import KineHost

@Suite struct PictureTurnTests {
    @Test func `new sources come first, then the oldest picture, and one that failed waits five seconds`() {
        let new = PictureTurn()
        var (passed, older, newer, failed) = (new, new, new, new)
        passed.passed()
        older.pictured(at: 10)
        newer.pictured(at: 20)
        failed.failed(at: 20)
        #expect(new.precedes(passed) && passed.precedes(older) && older.precedes(newer) && !newer.precedes(older))
        #expect(failed.isFirst && !failed.isDue(at: 5_000_000_019) && failed.isDue(at: 5_000_000_020))
    }
}
