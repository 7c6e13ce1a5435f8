import Testing

// The streams that a target means, and the clock readings to believe: the pure parts.
@testable import KinePulse

@Suite struct AudioInventoryTests {
    private var inventory: AudioInventory {
        var inventory = AudioInventory()
        inventory.outputs = [
            .init(index: 0, name: "speakers", description: "Speakers", monitor: "speakers.monitor"),
            .init(index: 3, name: "hdmi", description: "Television", monitor: "hdmi.monitor"),
        ]
        inventory.microphones = [
            .init(name: "desk", description: "Desk"), .init(name: "headset", description: "Headset"),
        ]
        inventory.playbacks = [
            .init(index: 7, output: 0, application: "Chess", binary: "gnome-chess"),
            .init(index: 8, output: 3, application: "CHESS", binary: ""),
            .init(index: 9, output: 0, application: "", binary: "chess"),
            .init(index: 10, output: 0, application: "Chessboard", binary: "chessboard"),
        ]
        inventory.defaultOutput = "hdmi"
        inventory.defaultSource = "headset"
        return inventory
    }

    @Test func `the default output is recorded through its monitor`() {
        #expect(AudioTarget.defaultOutput.sources(in: inventory) == [.source("hdmi.monitor")])
        var none = inventory
        none.defaultOutput = "gone"
        #expect(AudioTarget.defaultOutput.sources(in: none).isEmpty)
    }

    @Test func `an output is recorded by its name through its monitor`() {
        #expect(AudioTarget.output("speakers").sources(in: inventory) == [.source("speakers.monitor")])
        #expect(AudioTarget.output("Speakers").sources(in: inventory).isEmpty)
        #expect(AudioTarget.output("phones").missing(in: inventory).existing == ["speakers", "hdmi"])
    }

    @Test func `an application is all streams whose name or binary is the wish, in any case`() {
        #expect(
            AudioTarget.application("chess").sources(in: inventory) == [
                .playback(7, output: 0), .playback(8, output: 3), .playback(9, output: 0),
            ])
        #expect(AudioTarget.application("Gnome-Chess").sources(in: inventory) == [.playback(7, output: 0)])
        #expect(AudioTarget.application("").sources(in: AudioInventory()).isEmpty)
    }

    @Test func `the default microphone is the server's, a monitor too unless that is recorded already`() {
        let target = AudioTarget.defaultMicrophone
        #expect(target.sources(in: inventory) == [.source("headset")])
        var monitor = inventory
        monitor.defaultSource = "hdmi.monitor"
        let output = Set(AudioTarget.defaultOutput.sources(in: inventory))
        #expect(target.sources(in: monitor) == [.source("hdmi.monitor")])
        #expect(target.sources(in: monitor, besides: output) == [.source("desk")])
        monitor.microphones = []
        #expect(target.sources(in: monitor) == [.source("hdmi.monitor")])
        #expect(target.sources(in: monitor, besides: output).isEmpty)
        #expect(target.condition(in: monitor, besides: output) == .missing)
        #expect(AudioTarget.microphone("hdmi.monitor").sources(in: monitor) == [.source("hdmi.monitor")])
        monitor.defaultSource = "gone"
        #expect(target.condition(in: monitor, besides: output) == .missing)
    }

    @Test func `outputs and applications that are muted or turned down are inaudible`() {
        func condition(_ target: AudioTarget, _ change: (inout AudioInventory) -> Void) -> AudioCondition {
            var changed = inventory
            change(&changed)
            return target.condition(in: changed, besides: [])
        }
        func inaudible(_ target: AudioTarget, _ name: String, _ level: AudioLevel) -> AudioCondition {
            .inaudible(InaudibleAudio(target: target, name: name, level: level))
        }
        #expect(
            condition(.defaultOutput) { $0.outputs[1].level = .muted }
                == inaudible(.defaultOutput, "Television", .muted))
        #expect(condition(.defaultOutput) { $0.outputs[0].level = .muted } == .audible)
        let speakers = AudioTarget.output("speakers")
        #expect(condition(speakers) { $0.outputs[0].level = .faint } == inaudible(speakers, "Speakers", .faint))
        // An application has other streams.
        let chess = AudioTarget.application("Chess")
        #expect(condition(chess) { $0.playbacks[0].level = .muted } == .audible)
        #expect(
            condition(chess) { for index in 0..<3 { $0.playbacks[index].level = .muted } }
                == inaudible(chess, "Chess", .muted))
    }

    @Test func `each change of a target's condition is told once`() {
        func warnings(_ target: AudioTarget, _ conditions: [AudioCondition]) -> [AudioWarning?] {
            var last: AudioCondition?
            return conditions.map { condition in
                defer { last = condition }
                return condition.warning(of: target, in: inventory, after: last)
            }
        }
        let muted = InaudibleAudio(target: .defaultOutput, name: "Television", level: .muted)
        #expect(
            warnings(.defaultOutput, [.inaudible(muted), .inaudible(muted), .audible, .inaudible(muted), .missing])
                == [
                    .inaudible(muted), nil, nil, .inaudible(muted), .missing(MissingAudio(target: .defaultOutput)),
                ])
        let desk = AudioTarget.microphone("desk")
        #expect(
            warnings(desk, [.audible, .missing, .missing, .audible, .missing])
                == [nil, .gone(desk), nil, nil, .gone(desk)])
        let table = MissingAudio(target: .microphone("table"), existing: ["desk", "headset"])
        #expect(warnings(.microphone("table"), [.missing]) == [.missing(table)])
        let chess = AudioTarget.application("Go")
        #expect(warnings(chess, [.missing, .audible, .missing]).map { $0 == nil } == [false, true, true])
    }

    @Test func `what is missing is named together with what there is`() {
        #expect(
            AudioTarget.application("Draughts").missing(in: inventory).existing
                == ["Chess", "CHESS", "chess", "Chessboard"])
        #expect(AudioTarget.microphone("table").missing(in: AudioInventory()).existing.isEmpty)
    }
}

@Suite struct ClockReadingsTests {
    private func reading(_ frame: Int64, late milliseconds: Int64 = 0) -> AudioClockReading {
        AudioClockReading(frame: frame, instant: 5_000_000_000 + frame * 125_000 + milliseconds * 1_000_000)
    }

    @Test func `small changes are believed, and frames between readings follow the last one`() {
        var readings = ClockReadings(rate: 8000)
        #expect(readings.instant(ofFrame: 0) == nil)
        #expect(readings.judge(reading(0), roundTrip: 100_000) == .accept)
        #expect(readings.judge(reading(8000, late: 14), roundTrip: 100_000) == .accept)
        #expect(readings.instant(ofFrame: 16000) == reading(16000, late: 14).instant)
    }

    @Test func `a large change is believed when a second reading confirms it`() {
        var readings = ClockReadings(rate: 8000)
        #expect(readings.judge(reading(0), roundTrip: 100_000) == .accept)
        #expect(readings.judge(reading(8000, late: 60), roundTrip: 100_000) == .askAgain)
        #expect(readings.judge(reading(8000), roundTrip: 100_000) == .accept)
        #expect(readings.judge(reading(16000, late: 60), roundTrip: 100_000) == .askAgain)
        #expect(readings.judge(reading(16000, late: 61), roundTrip: 100_000) == .accept)
    }

    @Test func `slow answers are asked for again, five times`() {
        var readings = ClockReadings(rate: 8000)
        for _ in 0..<5 { #expect(readings.judge(reading(0), roundTrip: 20_000_000) == .askAgain) }
        #expect(readings.judge(reading(0), roundTrip: 20_000_000) == .accept)
        #expect(readings.judge(reading(8000), roundTrip: 20_000_000) == .askAgain)
    }

    @Test func `of slow answers the quickest is believed`() {
        var readings = ClockReadings(rate: 8000)
        for delay in [9, 4, 8, 7, 6] as [Int64] {
            #expect(readings.judge(reading(8000, late: delay), roundTrip: delay * 1_000_000) == .askAgain)
        }
        #expect(readings.judge(reading(8000, late: 5), roundTrip: 5_000_000) == .accept)
        #expect(readings.instant(ofFrame: 16000) == reading(16000, late: 4).instant)
    }
}
