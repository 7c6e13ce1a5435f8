// What the levels of a take's audio disclose, and to whom.
import KineMedia
import Testing

@testable import KineWire

@Suite struct DisclosureTests {
    private static let levels = AudioLevels(app: 0.5, microphone: 0.25)

    @Test func `the screen's audio and the microphone need permission, also a microphone that is off`() {
        #expect(AudioLevels.disclosed(of: [.screen, .camera]) == [.screen, .microphone])
        // A private screen's audio belongs to no person.
        #expect(AudioLevels.disclosed(of: []) == [.microphone])
        #expect(Self.levels.without([]) == Self.levels)
        #expect(Self.levels.without([.camera]) == Self.levels)
        #expect(Self.levels.without([.screen]) == AudioLevels(microphone: 0.25))
        #expect(Self.levels.without([.microphone]) == AudioLevels(app: 0.5))
        #expect(Self.levels.without([.screen, .microphone]) == AudioLevels())
    }

    @Test(arguments: [true, false]) func `any program may ask for levels, and gets those that it may have`(isOn: Bool) {
        let captured = CapturedKinds(Set(PermissionKind.allCases))
        #expect(ClientRequest.showAudioLevels(isOn).disclosed(of: captured) == [])
        #expect(EngineMessage.event(.audioLevels(Self.levels)).withoutLinks("no") == nil)
    }

    @Test func `a level is from 0 to 1, and noise below a meter's steps is silence`() {
        let levels: [(Float, Double)] = [(0, 0), (0.00004, 0), (0.25, 0.25), (1 / 3, 0.3333), (1, 1), (7, 1)]
        for (peak, level) in levels { #expect(AudioLevels.level(ofPeak: peak) == level) }
    }
}
