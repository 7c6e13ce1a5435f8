// The levels of a take's audio, of a real engine and the pattern's beep.
import KineMedia
import KinePlatform
import KineWire
import ProcessTesting
import Testing

@Suite(.tags(.real, .programs)) struct AudioLevelTests {
    @Test func `a client that asks gets the levels of the pattern's beep, and none once it has ended them`() throws {
        try TestPlace.with { place in
            var configuration = TakeConfiguration(
                source: .pattern(PixelSize(width: 320, height: 240)), output: place.path("a.mp4"))
            configuration.wantsProgress = true
            let engine = try EngineUnderTest(configuration, in: place)
            try engine.wait("the start") { if case .started = $0 { true } else { nil } }
            let record = try #require(try place.registry().list().running.first)
            let (guest, other) = (try place.registry().connect(to: record), try place.registry().connect(to: record))
            #expect(try other.ask(.follow(progress: true), id: 1) != nil)
            #expect(try engine.ask(.showAudioLevels(true)) == .success(.done))
            let beep = try engine.wait("the beep") { event -> AudioLevels? in
                if case .audioLevels(let levels) = event, levels.app ?? 0 > 0.1 { levels } else { nil }
            }.0
            #expect(beep.app ?? 1 < 0.35 && beep.microphone == nil)
            try engine.wait("silence") { $0 == .audioLevels(AudioLevels(app: 0)) ? true : nil }

            // The other one goes on, and leaves.
            #expect(try guest.ask(.showAudioLevels(true), id: 2) == .success(.done))
            #expect(try engine.ask(.showAudioLevels(false)) == .success(.done))
            let heard = engine.heard.count
            var levels: [AudioLevels] = []
            while !levels.contains(where: { $0.app ?? 0 > 0.1 }) {
                let messages = try guest.receive(until: MonotonicClock.now() + RunningKinecast.timeout)
                try #require(!messages.isEmpty, "\(levels)")
                for case .event(.audioLevels(let newest)) in messages { levels.append(newest) }
            }
            try progress(of: engine, by: .seconds(2))
            guest.close()
            try progress(of: engine, by: .seconds(2))
            #expect(!engine.heard.dropFirst(heard).contains { isLevels($0.event) })
            #expect(try engine.ask(.showAudioLevels(true)) == .success(.done))
            let asked = engine.heard.count
            try progress(of: engine, by: .seconds(2))
            #expect(engine.heard.dropFirst(asked).contains { isLevels($0.event) })

            #expect(try engine.stop().exitStatus == 0)
            var all: [EngineMessage] = []
            while !all.contains(where: { if case .event(.finished) = $0 { true } else { false } }) {
                let messages = try other.receive(until: MonotonicClock.now() + RunningKinecast.timeout)
                try #require(!messages.isEmpty, "\(all)")
                all += messages
            }
            let isToldOther = all.contains { if case .event(let event) = $0 { isLevels(event) } else { false } }
            #expect(!isToldOther, "it follows the take, and has not asked")
        }
    }

    private func isLevels(_ event: EngineEvent) -> Bool { if case .audioLevels = event { true } else { false } }

    /// Waits until the take has recorded so much more.
    private func progress(of engine: EngineUnderTest, by duration: MediaTime) throws {
        let end = try engine.status().progress.duration + duration
        try engine.wait("progress") { event in
            if case .progress(let progress) = event, progress.duration >= end { true } else { nil }
        }
    }
}
