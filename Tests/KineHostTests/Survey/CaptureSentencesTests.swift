// The sentences for KineCapture's errors.
import KineMedia
import KineWire
import SystemPackage
import Testing

@testable import KineCapture
@testable import KineHost
@testable import KinePulse
@testable import KineTake

@Suite struct CaptureSentencesTests {
    @Test(
        arguments: [
            (.take(.source(.noDisplay)), .recordVirtualScreen), (.take(.source(.regionCancelled)), .giveRegion),
            (.take(.source(.noWindowsOnWayland(.window))), .chooseWindow),
            (.take(.source(.noWindowDialog)), .nameWindow),
            (.take(.audio(.noServer(.noLibrary))), .recordSilently),
            (.take(.file(.alreadyExists(path: "/a"))), .replaceFile),
            (.take(.file(.full(path: "/a"))), nil), (.notBegun, nil),
        ] as [(EngineError, Alternative?)])
    func `what else can be done is told as a code, and no sentence names an option for it`(
        error: EngineError, alternative: Alternative?
    ) {
        #expect(error.failure.alternative == alternative)
        #expect(error.message.hasSuffix(".") && !error.message.contains("--"), "\(error.message)")
    }

    @Test func `rules that hide nothing are told as they were typed, and windows with their ids`() {
        var findings = ExclusionFindings()
        #expect(findings.unmatchedSentence == nil)
        findings.unmatched = [.titled("Zürich"), .application("Vault"), .id(0x77)]
        #expect(findings.unmatchedSentence?.contains("title:Zürich, app:Vault, 0x77") == true)
        #expect(ExclusionFindings.sentence(unreadable: [0x77, 0x78]).contains("0x77, 0x78"))
    }

    @Test(
        arguments: [
            (.missing(program: "Xvfb", package: "xvfb"), ["Xvfb", "package xvfb"]),
            (.cannotStart(program: "Xvfb", .tooManyOpenFiles), ["Xvfb did not start: Too many open files."]),
            (.cookieNotWritten(.noSpace), ["cookie", "No space left on device"]),
            (.noDisplayNumber(PixelSize(width: 9999, height: 9999)), ["smaller size than 9999x9999"]),
            (.noCompositor(PixelSize(width: 9999, height: 9999)), ["sway", "9999x9999"]),
            (.missing(program: "sway", package: "sway"), ["package sway"]),
            (.noAnswer(program: "wireplumber"), ["wireplumber", "does not answer"]), (.cancelled, ["was ended"]),
        ] as [(VirtualSession.Error, [String])])
    func `a private screen that cannot be had is told with what it is about`(
        error: VirtualSession.Error, parts: [String]
    ) {
        let sentence = error.sentence
        #expect(sentence.hasSuffix(".") && parts.allSatisfy(sentence.contains), "\(sentence)")
    }

    @Test(
        arguments: [
            (
                .missing(MissingAudio(target: .application("Draughts"), existing: ["Chess", "Go"])),
                "No application called Draughts plays audio (there is: Chess, Go); its track is silent until it does."
            ),
            (
                .missing(MissingAudio(target: .microphone("table"))),
                "There is no microphone called table; see kinecast sources for the names."
            ),
            (
                .missing(MissingAudio(target: .defaultMicrophone, monitoredOutput: "Speakers")),
                "The default microphone is what Speakers plays, which is recorded already; choose another one with --mic NAME, which kinecast "
                    + "sources lists."
            ),
            (
                .missing(MissingAudio(target: .output("hdmi"), existing: ["speakers"])),
                "There is no output called hdmi (there is: speakers); see kinecast sources for the names."
            ),
            (
                .noServer(.pulse(PulseError(rawValue: 6))),
                "No audio server answers (Connection refused); start PulseAudio or PipeWire, or set PULSE_SERVER."
            ),
        ] as [(AudioCapture.Error, String)])
    func `audio that cannot be had is told with what there is instead`(error: AudioCapture.Error, sentence: String) {
        #expect(error.sentence == sentence)
    }

    @Test(
        arguments: [
            (
                .gone(.microphone("desk")),
                "The microphone desk was unplugged; the recording goes on without it until it is back."
            ),
            (
                .gone(.output("hdmi")),
                "The output hdmi was unplugged; the recording goes on without it until it is back."
            ),
            (
                .microphoneReplaced(by: "Headset"),
                "The microphone is Headset from now on, since it or the desktop's choice has changed."
            ),
            (
                .microphoneChanges(5),
                "The microphone changed or went away 5 times; the recording is silent where there was none."
            ),
            (
                .unrecorded(UnrecordedAudio(application: "", output: "bluez.1", description: "Headset")),
                "Something plays on 'Headset', which is not recorded; --audio output:bluez.1 records it."
            ),
            (
                .inaudible(InaudibleAudio(target: .defaultOutput, name: "Speakers", level: .muted)),
                "The output Speakers is muted, so its recording is silent; unmute it."
            ),
            (
                .inaudible(InaudibleAudio(target: .application("Chess"), name: "Chess", level: .faint)),
                "The audio of Chess is turned down below -60 dB, and so is its recording; turn it up."
            ),
        ] as [(AudioWarning, String)])
    func `audio that a recording lacks is told with what to do`(warning: AudioWarning, sentence: String) {
        #expect(warning.sentence == sentence)
    }
}
