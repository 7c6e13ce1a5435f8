// The plan of a configuration: targets, tracks, and whether a take may begin without them.
import KineMedia
import Testing

@testable import KineTake

@Suite struct AudioPlanTests {
    private func plan(
        _ app: TakeConfiguration.AppAudio, _ microphone: TakeConfiguration.Microphone = .none, separate: Bool = false
    ) -> AudioPlan {
        var configuration = TakeConfiguration.Audio()
        configuration.app = app
        configuration.microphone = microphone
        configuration.separateTracks = separate
        return AudioPlan(configuration)
    }

    @Test func `the default is one track that may be missing`() {
        let plan = plan(.system(required: false))
        #expect(plan.targets == [.defaultOutput])
        #expect(
            plan.tracks == [.init(type: .audioApp, targets: [0], isMixed: false, recorded: .aac, forms: [.aac])])
        #expect(!plan.isRequired)
    }

    @Test func `audio asked for by name is required`() {
        #expect(plan(.system(required: true)).isRequired)
        #expect(plan(.application("Chess")).isRequired)
        #expect(plan(.output("hdmi")).isRequired && plan(.output("hdmi")).targets == [.output("hdmi")])
        #expect(plan(.system(required: false), .defaultDevice).isRequired)
        #expect(plan(.none, .named("desk")).isRequired)
    }

    @Test func `a microphone that is off at first has its place, and may be missing`() {
        var configuration = TakeConfiguration.Audio()
        configuration.microphone = .defaultDevice
        configuration.isMicrophoneOff = true
        let plan = AudioPlan(configuration)
        #expect(plan.targets == [.defaultOutput, .defaultMicrophone])
        #expect(plan.microphones == [1])
        #expect(!plan.isRequired)
    }

    @Test func `application and microphone share the app's track unless kept apart`() {
        #expect(
            plan(.application("Chess"), .named("desk")).tracks == [
                .init(type: .audioApp, targets: [0, 1], isMixed: true, recorded: .aac, forms: [.aac])
            ])
        #expect(
            plan(.application("Chess"), .named("desk"), separate: true).tracks == [
                .init(type: .audioApp, targets: [0], isMixed: true, recorded: .aac, forms: [.aac]),
                .init(type: .audioMic, targets: [1], isMixed: false, recorded: .aac, forms: [.aac]),
            ])
    }

    @Test func `a microphone alone has the microphone's track`() {
        let plan = plan(.none, .defaultDevice)
        #expect(plan.targets == [.defaultMicrophone])
        #expect(
            plan.tracks == [.init(type: .audioMic, targets: [0], isMixed: false, recorded: .aac, forms: [.aac])])
        #expect(self.plan(.none).tracks.isEmpty)
    }

    private func plan(separate: Bool = false, isRecorded: Bool = true, _ requirements: AudioRequirements...)
        -> AudioPlan
    {
        var configuration = TakeConfiguration.Audio()
        configuration.microphone = .defaultDevice
        configuration.separateTracks = separate
        return AudioPlan(configuration, isRecorded: isRecorded, requirements: requirements)
    }

    @Test func `samples as they are come of app and microphone apart, also where the file mixes them`() {
        let required = AudioRequirements(app: .pcm, microphone: .pcm)
        let mixed = plan(required)
        #expect(
            mixed.tracks == [
                .init(type: .audioApp, targets: [0, 1], isMixed: true, recorded: .aac, forms: [.aac]),
                .init(type: .audioApp, targets: [0], isMixed: false, recorded: nil, forms: [.pcm]),
                .init(type: .audioMic, targets: [1], isMixed: false, recorded: nil, forms: [.pcm]),
            ])
        #expect(mixed.choices(for: required) == [.init(track: 1, form: .pcm), .init(track: 2, form: .pcm)])
        let separate = plan(separate: true, required)
        #expect(separate.tracks.count == 2)
        #expect(separate.tracks.allSatisfy { $0.recorded == .aac && $0.forms == [.aac, .pcm] })
    }

    @Test func `access units of the app are the mix where there is one, and those of the microphone never are`() {
        let both = AudioRequirements(app: .aac, microphone: .aac)
        #expect(plan(both).tracks.count == 1)
        #expect(plan(both).choices(for: both) == [.init(track: 0, form: .aac)])
        let app = AudioRequirements(app: .aac)
        #expect(plan(app).choices(for: app) == [.init(track: 0, form: .aac)])
        let microphone = AudioRequirements(microphone: .aac)
        let plan = plan(microphone, both)
        #expect(plan.tracks.map(\.targets) == [[0, 1], [1]])
        #expect(plan.tracks.map { $0.recorded != nil } == [true, false])
        #expect(plan.choices(for: microphone) == [.init(track: 1, form: .aac)])
        #expect(self.plan(separate: true, both).choices(for: both).map(\.track) == [0, 1])
    }

    @Test func `without a file only what somebody wants is made`() {
        let silent = plan(isRecorded: false)
        #expect(silent.tracks.isEmpty && silent.targets.isEmpty)
        let required = AudioRequirements(app: .pcm)
        let plan = plan(isRecorded: false, required)
        #expect(plan.tracks.map(\.forms) == [[.pcm]])
        #expect(plan.choices(for: required) == [.init(track: 0, form: .pcm)])
        #expect(plan.choices(for: AudioRequirements(microphone: .aac)).isEmpty)
    }
}
