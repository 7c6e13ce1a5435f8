// The delays that a page and an audio server noted, put together.
import KineMeasure
import Testing

@testable import kinecast_bench

@Suite struct GlassDelaysTests {
    private let millisecond: Int64 = 1_000_000

    /// Thirty frames a second for three seconds, and a beep with the first of each second, all from 10 s on.
    private var drawn: [SceneProcess.Shown] {
        (0..<90).map { number in
            let instant = 10_000 * millisecond + Int64(number) * 1_000_000_000 / 30
            return SceneProcess.Shown(
                frame: number, instant: instant, beep: number > 0 && number % 30 == 0 ? instant : nil)
        }
    }

    private func sights(delay: Int64, without missing: Set<Int> = []) -> [GlassStage.Sight] {
        drawn.filter { !missing.contains($0.frame) }.map {
            GlassStage.Sight(number: $0.frame, instant: $0.instant + delay * millisecond)
        }
    }

    @Test func `each sense has its own delay, and the offset is the difference`() {
        let heard = drawn.compactMap(\.beep).map { $0 + 130 * millisecond }
        let delays = GlassDelays(drawn: drawn, seen: sights(delay: 110), heard: heard)
        #expect(delays.frames == Array(repeating: 110, count: 90))
        #expect(delays.audio == [130, 130])
        #expect(delays.offsets == [20, 20])
        #expect(delays.beepCount == 2)
    }

    @Test func `a beep belongs to the next frame where its own was left out, and unheard beeps are counted`() {
        let heard = [drawn[30].beep ?? 0].map { $0 + 100 * millisecond }
        let delays = GlassDelays(drawn: drawn, seen: sights(delay: 110, without: [30, 31]), heard: heard)
        #expect(delays.offsets == [-10])
        #expect(delays.beepCount == 2)
    }

    @Test func `nothing seen is no delay`() {
        let delays = GlassDelays(drawn: drawn, seen: [], heard: [])
        #expect(delays.frames.percentile(95) == nil && delays.beepCount == 0)
    }
}
