// The benches' reading of a link, a file's times, and the accounts of several processes.
import KineMeasure
import Testing

@testable import kinecast_bench

@Suite struct LiveAddressTests {
    @Test(arguments: ["http", "https"])
    func `a link leads to its stream`(scheme: String) throws {
        let address = try #require(LiveAddress(link: "\(scheme)://127.0.0.1:4321/#abc"))
        #expect(
            address.request().hasPrefix("GET /live.mp4 ")
                && address.request("/samples").contains("Kinecast-Token: abc\r\n"))
        #expect(address.port == 4321 && address.host == "127.0.0.1:4321")
    }

    @Test(arguments: [
        "", "http://127.0.0.1:1/", "http://127.0.0.1:1/#", "http://example.org/#a", "http://127.0.0.1/#a",
        "http://127.0.0.1:x/#a", "ftp://127.0.0.1:1/#a",
    ])
    func `an address that is no link of this machine is refused`(link: String) {
        #expect(LiveAddress(link: link) == nil)
    }

    @Test func `times that the grid moved are known by themselves`() {
        // Half a frame before the third and the 600th frame, and 12 µs.
        #expect(MeterAccount.movedFrame(41_678_666, 60) == 3)
        #expect(MeterAccount.movedFrame(9_991_678_666, 60) == 600)
        #expect(MeterAccount.movedFrame(41_678_667, 60) == nil)
        #expect(MeterAccount.movedFrame(50_000_000, 60) == nil)
        #expect(MeterAccount.movedFrame(0, 60) == nil)
    }
}

@Suite struct ExchangeTests {
    @Test func `frames are matched by presentation time, and those before and after the app do not count`() {
        let sent = (0..<6).map { MeterAccount.Arrival(presentationTime: $0 * 16, instant: 1000 + $0 * 16, frame: nil) }
        let received = [1, 2, 4].map {
            MeterAccount.Arrival(presentationTime: $0 * 16, instant: 1000 + $0 * 16 + $0, frame: nil)
        }
        let passage = Passage(sent: sent, received: received)
        #expect(passage.delays == [1, 2, 4])
        #expect(passage.missing == 1)
        #expect(Passage(sent: sent, received: []).missing == 6)
    }
}

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

    private func sights(delay: Int64, without missing: Set<Int> = []) -> [GlassSetup.Sight] {
        drawn.filter { !missing.contains($0.frame) }.map {
            GlassSetup.Sight(number: $0.frame, instant: $0.instant + delay * millisecond)
        }
    }

    @Test func `each sense has its own delay, and the offset is the difference`() {
        let beeps = drawn.compactMap(\.beep).map { $0 + 130 * millisecond }
        let delays = GlassDelays(drawn: drawn, seen: sights(delay: 110), beeps: beeps)
        #expect(delays.frames == Array(repeating: 110, count: 90))
        #expect(delays.audio == [130, 130])
        #expect(delays.offsets == [20, 20])
        #expect(delays.beepCount == 2)
    }

    @Test func `a beep belongs to the next frame where its own was left out, and unheard beeps are counted`() {
        let beeps = [drawn[30].beep ?? 0].map { $0 + 100 * millisecond }
        let delays = GlassDelays(drawn: drawn, seen: sights(delay: 110, without: [30, 31]), beeps: beeps)
        #expect(delays.offsets == [-10])
        #expect(delays.beepCount == 2)
    }

    @Test func `nothing seen is no delay`() {
        let delays = GlassDelays(drawn: drawn, seen: [], beeps: [])
        #expect(delays.frames.percentile(95) == nil && delays.beepCount == 0)
    }
}
