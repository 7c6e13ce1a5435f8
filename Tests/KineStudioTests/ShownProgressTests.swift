// What pages are shown of takes beside their state: counts, and the levels of their audio.
import KineMedia
import KineWire
import Testing

@testable import KineStudio
@testable import KineTakes

@Suite struct ShownProgressTests {
    private func view(_ id: String) -> TakeView {
        TakeView(TakeRecord(id: id, pid: 7, output: nil, source: "pattern", started: 0))
    }

    @Test func `levels are shown when they are new, of takes that run`() {
        var shown = ShownProgress()
        let takes = [view("a"), view("b")]
        #expect(shown.levels(of: takes) == nil)
        shown.received(.audioLevels(AudioLevels(app: 1, microphone: 0.1)), of: "a")
        shown.received(.audioLevels(AudioLevels(app: 0)), of: "gone")
        let levels = shown.levels(of: takes)
        #expect(levels == [ShownLevels(AudioLevels(app: 1, microphone: 0.1), of: "a")])
        #expect(String(decoding: StudioJSON.encode(levels), as: UTF8.self).contains(#""id":"a""#))
        #expect(shown.levels(of: takes) == nil)
        #expect(shown.snapshots(of: takes) == nil, "levels are no progress")
        shown.received(.progress(TakeProgress()), of: "b")
        #expect(shown.snapshots(of: takes)?.map(\.id) == ["b"])
        #expect(shown.levels(of: takes) == nil)
        shown.received(.audioLevels(AudioLevels(app: 0)), of: "b")
        #expect(shown.levels(of: takes)?.map(\.audio) == [0, -60])
    }

    @Test func `a page gets whole decibels from silence to full scale, and nothing where there is no level`() {
        let levels: [(Double, Double)] = [(0, -60), (0.0001, -60), (0.1, -20), (0.25, -12), (0.5, -6), (1, 0)]
        for (level, decibels) in levels {
            let shown = ShownLevels(AudioLevels(app: level, microphone: level))
            #expect(shown.audio == decibels && shown.microphone == decibels, "\(level)")
        }
        let none = ShownLevels(AudioLevels(), problem: "No.")
        #expect(none.audio == nil && none.microphone == nil && none.id == nil && none.problem == "No.")
    }

    @Test func `pages ask every few seconds, and no engine measures after the last one has left`() {
        var shown = ShownProgress()
        let second: Int64 = 1_000_000_000
        var wanted: [Bool] = [shown.isWanted(at: 0)]
        shown.ask(at: 0)
        wanted.append(shown.isWanted(at: 10 * second))
        shown.ask(at: 10 * second)
        for seconds in [24, 25, 26] { wanted.append(shown.isWanted(at: Int64(seconds) * second)) }
        #expect(wanted == [false, true, true, false, false])
        #expect(shown.nextDeadline == nil)
    }
}
