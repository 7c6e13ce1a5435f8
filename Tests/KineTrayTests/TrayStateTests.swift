// The tray's state by the messages of engines, and the menu that follows.
import KineMedia
import KineProgram
import Testing

@testable import KineTakes
@testable import KineTray
@testable import KineWire

@Suite struct TrayStateTests {
    private static let second: Int64 = 1_000_000_000
    private static let size = PixelSize(width: 320, height: 240)

    private func record(_ id: String, output: String? = "/videos/a_b.mp4", clips: Bool = false) -> TakeRecord {
        TakeRecord(
            id: id, pid: 1, output: output, source: "screen", started: 1,
            clipBuffer: clips ? .seconds(60) : nil)
    }

    private func status(
        _ phase: TakePhase, seconds: Double = 0, output: String? = "/videos/a_b.mp4",
        _ change: (inout TakeStatus) -> Void = { _ in }
    ) -> EngineMessage {
        var progress = TakeProgress()
        progress.duration = .seconds(seconds)
        var status = TakeStatus(id: "", phase: phase, output: output, source: "screen", progress: progress)
        change(&status)
        return .answer(id: 1, .success(.status(status)))
    }

    private func state(_ messages: EngineMessage..., record: TakeRecord? = nil, isSame: Bool = true) -> TrayState {
        var view = TakeView(record ?? self.record("one"))
        view.isSameProtocol = isSame
        for message in messages { view.received(message, at: 0) }
        return TrayState(takes: [view])
    }

    /// The entries that can be used, and what they run.
    private func commands(_ state: TrayState) -> [String: MenuCommand] {
        let items = TrayMenu.items(state, recordings: [(101, "/videos/a_b.mp4")], at: 0)
        var commands: [String: MenuCommand] = [:]
        for item in items {
            if let label = item.label, let command = item.command { commands[label] = command }
        }
        return commands
    }

    @Test func `without a take a recording can be started, and nothing else`() {
        let state = TrayState()
        #expect(state.condition == .idle && state.summary(at: 0) == "Not recording" && state.details == [])
        #expect(commands(state) == ["Start recording": .kinecast(["record", "--toggle"]), "Quit": .quit])
        let numbers = TrayMenu.items(state, recordings: [], at: 0).map(\.id)
        #expect(numbers == [1, 2, 3, 5, 17, 7, 8, 10, 13, 15, 16])
    }

    @Test func `a running take has its time, which stands while it is paused`() {
        var view = TakeView(record("one"))
        view.received(status(.recording, seconds: 61), at: 0)
        view.received(.event(.started(TakeStarted(id: "one", output: nil, size: Self.size, environment: []))), at: 0)
        #expect(TrayState(takes: [view]).condition == .recording)
        #expect(view.time(at: 2 * Self.second) == .seconds(63))
        #expect(view.nextMinute(after: 2 * Self.second) == 59 * Self.second)
        view.received(.event(.paused), at: 3 * Self.second)
        #expect(TrayState(takes: [view]).condition == .paused && view.activity == "Paused")
        #expect(view.time(at: 90 * Self.second) == .seconds(64))
        #expect(view.nextMinute(after: 90 * Self.second) == nil)
        view.received(.event(.resumed), at: 90 * Self.second)
        #expect(view.time(at: 91 * Self.second) == .seconds(65))
    }

    @Test func `the source is named, and then its file`() {
        let named = state(status(.recording) { $0.sourceName = "Notes — XTerm" })
        #expect(named.details == ["Notes — XTerm", "a_b.mp4"])
        #expect(state(status(.recording, output: nil)).details.first == "screen")
    }

    @Test func `a take that waits for its first frame is not shown as recorded`() {
        var view = TakeView(record("one"))
        view.received(status(.starting), at: 0)
        #expect(TrayState(takes: [view]).condition == .idle && view.activity == "Starting")
        let started = TakeStarted(id: "one", output: "/videos/a_b.mp4", size: Self.size, environment: [])
        view.received(.event(.started(started)), at: 5 * Self.second)
        #expect(TrayState(takes: [view]).condition == .recording && view.activity == "Recording")
        #expect(view.time(at: 6 * Self.second) == .seconds(1))
    }

    @Test func `what a take can do now can be clicked`() {
        let plain = commands(state(status(.recording)))
        #expect(plain["Stop recording"] == .ask(.stop(immediately: false), take: "one"))
        #expect(plain["Pause"] == .ask(.pause, take: "one"))
        #expect(plain["Start recording"] == nil && plain["Save the last moments"] == nil)
        #expect(plain["Mute the microphone"] == nil)
        #expect(plain["Begin a chapter"] == .ask(.mark(title: nil), take: "one"))
        let full = commands(
            state(status(.paused) { $0.isMicrophoneOn = true }, record: record("two", clips: true)))
        #expect(full["Resume"] == .ask(.resume, take: "two") && full["Pause"] == nil)
        #expect(full["Save the last moments"] == .kinecast(["clip", "two"]))
        #expect(full["Mute the microphone"] == .ask(.setMicrophone(on: false), take: "two"))
        let muted = state(status(.recording) { $0.isMicrophoneOn = true }, .event(.microphone(on: false)))
        #expect(commands(muted)["Unmute the microphone"] == .ask(.setMicrophone(on: true), take: "one"))
        let starting = commands(state(status(.starting)))
        #expect(starting["Pause"] == nil && starting["Begin a chapter"] == nil)
        #expect(commands(state(status(.recording, output: nil)))["Begin a chapter"] == nil)
    }

    @Test func `a key changes the only take as it is, and says why where there is none or several`() {
        func command(_ action: DesktopAction, _ state: TrayState) -> MenuCommand { state.command(for: action) }
        let running = state(status(.recording) { $0.isMicrophoneOn = true })
        #expect(command(.pause, running) == .ask(.pause, take: "one"))
        #expect(command(.pause, state(status(.paused))) == .ask(.resume, take: "one"))
        #expect(command(.microphone, running) == .ask(.setMicrophone(on: false), take: "one"))
        #expect(command(.mark, running) == .ask(.mark(title: nil), take: "one"))
        #expect(
            command(.record, running) == .kinecast(["record", "--toggle"])
                && command(.clip, running) == .kinecast(["clip"]))
        for (state, words) in [
            (TrayState(), "No take is running"), (TrayState(takes: running.takes + running.takes), "several"),
        ] {
            guard case .refuse(let sentence) = command(.pause, state) else {
                Issue.record("it is not refused")
                continue
            }
            #expect(sentence.contains(words))
        }
    }

    @Test func `an engine of another protocol is shown, and only its end can be clicked`() {
        let other = state(
            status(.recording), .event(.paused), record: record("one", clips: true), isSame: false)
        #expect(other.condition == .recording && state(status(.starting), isSame: false).condition == .recording)
        let expected: [String: MenuCommand] = [
            "Stop recording": .ask(.stop(immediately: false), take: "one"), "Quit": .quit,
        ]
        #expect(commands(other) == expected)
    }

    @Test func `a source that stands still is a problem, since when is said, until it works again`() {
        let gone = SourceInterruption(.monitorGone, monitor: "DP-1")
        var view = TakeView(record("one"))
        view.received(status(.recording) { ($0.interruption, $0.interruptedSince) = (gone, 0) }, at: 0)
        #expect(TrayState(takes: [view]).condition == .problem)
        #expect(view.problem?.hasPrefix("Monitor DP-1 is gone since ") == true, "\(view)")
        for event in [EngineEvent.sourceInterrupted(nil), .sourceSwitched(.screen(monitor: nil))] {
            view.received(.event(.sourceInterrupted(gone)), at: 0)
            #expect(view.problem != nil)
            view.received(.event(event), at: 0)
            #expect(view.problem == nil && TrayState(takes: [view]).condition == .recording)
        }
    }

    @Test func `what plays on an output that is not recorded is known until another one is recorded`() {
        let audio = UnrecordedAudio(application: "Chess", output: "bluez.1", description: "Headset")
        var view = TakeView(record("one"))
        view.received(status(.recording) { $0.unrecordedAudio = audio }, at: 0)
        #expect(view.status.unrecordedAudio == audio)
        view.received(.event(.appAudioOutput("bluez.1")), at: 0)
        #expect(view.status.unrecordedAudio == nil)
        view.received(.event(.audioUnrecorded(audio)), at: 0)
        #expect(view.status.unrecordedAudio == audio)
    }

    @Test func `a destination in trouble is a problem until it is live again`() {
        func event(
            _ phase: DestinationPhase, problem: String? = nil, ending: DestinationEnding? = nil
        ) -> EngineMessage {
            var status = DestinationStatus(destination: 0, service: "rtmp", label: "example", phase: phase)
            (status.problem, status.ending) = (problem, ending)
            return .event(.destination(.init(destination: 0, label: "example", kind: .phase(phase), status: status)))
        }
        let lost = state(status(.recording, output: nil), event(.reconnecting, problem: "no route."))
        #expect(lost.condition == .problem && lost.details.last == "example: no route.")
        #expect(state(status(.recording), event(.live)).condition == .recording)
        #expect(state(status(.recording), event(.ended, ending: .finished)).condition == .recording)
        let crashed = state(status(.recording), event(.ended, ending: .crashed("signal 11")))
        #expect(crashed.condition == .problem && crashed.details.last == "example: crashed (signal 11).")
        #expect(state(status(.recording, output: nil), event(.live)).take?.activity == "Broadcasting")
    }

    @Test func `a take that has ended is left with its file`() {
        var progress = TakeProgress()
        progress.duration = .seconds(5)
        let summary = TakeSummary(output: "/videos/c.mp4", size: Self.size, progress: progress, reason: "stopped")
        let ended = state(status(.recording), .event(.finished(summary)))
        #expect(ended.take?.phase == .ended && ended.take?.file == "/videos/c.mp4" && ended.condition == .idle)
        #expect(commands(ended)["Stop recording"] == nil)
        let piped = state(status(.recording, output: TakeConfiguration.standardOutput))
        #expect(piped.take?.file == nil && piped.condition == .recording)
    }

    @Test func `a label keeps its underlines, and a line is no entry`() {
        let item = MenuItem(id: 101, label: "a_b.mp4", command: .open("/videos/a_b.mp4"))
        #expect(item.properties == ["label": .string("a__b.mp4"), "enabled": .boolean(true)])
        #expect(MenuItem.line(2).properties == ["type": .string("separator")])
        let parent = MenuItem(id: 13, label: "Recent", children: [item])
        #expect(parent.properties["children-display"] == .string("submenu"))
        #expect(MenuItem(id: 13, label: "Recent").properties["enabled"] == .boolean(false))
    }
}
