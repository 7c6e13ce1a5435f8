// Which outputs are listened to while the recorded one is silent, and what is said of them.
import Testing

@testable import KinePulse

@Suite struct UnrecordedOutputsTests {
    private let recorded: Set<AudioSource> = [.source("speakers.monitor")]

    private func inventory(
        playbacks: [AudioInventory.Playback] = [.init(index: 7, output: 2, application: "Firefox", binary: "firefox")]
    ) -> AudioInventory {
        var inventory = AudioInventory()
        inventory.outputs = [
            .init(index: 1, name: "speakers", description: "Speakers", monitor: "speakers.monitor"),
            .init(index: 2, name: "headset", description: "Headset", monitor: "headset.monitor"),
        ]
        inventory.playbacks = playbacks
        return inventory
    }

    private func names(_ outputs: UnrecordedOutputs, _ inventory: AudioInventory, at now: Int64) -> [String] {
        outputs.candidates(in: inventory, besides: recorded, at: now).map(\.name)
    }

    @Test func `after three seconds of silence the output to which something plays is listened to`() {
        var outputs = UnrecordedOutputs()
        #expect(names(outputs, inventory(), at: .max) == [], "nothing is recorded yet")
        outputs.recorded(isSilent: true, at: 1_000_000_000)
        outputs.recorded(isSilent: true, at: 2_000_000_000)
        #expect(names(outputs, inventory(), at: 3_999_999_999) == [])
        #expect(names(outputs, inventory(), at: 4_000_000_000) == ["headset"])
        outputs.recorded(isSilent: false, at: 4_500_000_000)
        outputs.recorded(isSilent: true, at: 5_000_000_000)
        #expect(names(outputs, inventory(), at: 7_999_999_999) == [], "it was heard in between")
        outputs.stopped()
        #expect(names(outputs, inventory(), at: .max) == [])
    }

    @Test func `what cannot be heard is not listened to`() {
        var outputs = UnrecordedOutputs()
        outputs.recorded(isSilent: true, at: 0)
        let now = UnrecordedOutputs.silenceLimit
        var playback = AudioInventory.Playback(index: 7, output: 2, application: "Firefox", binary: "firefox")
        playback.isCorked = true
        #expect(names(outputs, inventory(playbacks: [playback]), at: now) == [])
        playback.isCorked = false
        playback.level = .muted
        #expect(names(outputs, inventory(playbacks: [playback]), at: now) == [])
        playback.level = .audible
        playback.output = 1
        #expect(names(outputs, inventory(playbacks: [playback]), at: now) == [], "that one is recorded")
        #expect(names(outputs, inventory(playbacks: []), at: now) == [])
    }

    @Test func `each output is reported once, with what plays there`() {
        var outputs = UnrecordedOutputs()
        outputs.recorded(isSilent: true, at: 0)
        let found = outputs.report("headset", in: inventory())
        #expect(
            found?.sentence
                == "Firefox plays on 'Headset', which is not recorded; --audio output:headset records it.")
        #expect(outputs.report("headset", in: inventory()) == nil)
        #expect(names(outputs, inventory(), at: .max) == [])
        #expect(outputs.report("speakers", in: inventory()) == nil, "nothing plays there")
    }
}
