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
            (.noDisplay, ["DISPLAY is not set", "graphical session"]),
            (.waylandSession, ["Wayland", "windows of X11 programs", "--backend x11", "session on X11"]),
            (.noCompositor(display: "wayland-7"), ["wayland-7", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"]),
            (.noWaylandLibrary, ["libwayland-client0", "install it"]), (.noScreencopy, ["--backend wlr"]),
            (.noFramesInMemory, ["graphics card", "--backend portal"]),
            (.compositorSilent, ["no picture", "monitor is on"]), (.compositorLost, ["has gone away"]),
            (.notOnWayland(.keys), ["showing keys", "leave it out", "X11"]),
            (.noWindowsOnWayland(.hiddenWindows), ["hiding windows", "record the screen"]),
            (
                .noWindowOfCommand(.titled("Mail"), seconds: 10, isPrivateScreen: true),
                ["no window with \"Mail\" in its title within 10 s", "--wait"]
            ),
            (
                .noWindowOfCommand(.application("gimp", monitor: nil), seconds: 2.5, isPrivateScreen: false),
                ["gimp", "2.5 s"]
            ),
            (.noWindowOfCommand(.first, seconds: 10, isPrivateScreen: true), ["no window within", "without --window"]),
            (.noWindowOfCommand(.first, seconds: 10, isPrivateScreen: false), ["process", "title:TEXT"]),
            (.noWindowDialog, ["Wayland", "its own dialog"]),
            (.noRegionProgram(package: "slurp"), ["Debian's slurp", "install it"]),
            (.regionProgramFailed("no layer shell"), ["slurp", "(no layer shell)"]),
            (.regionProgramFailed(""), ["has failed;"]),
            (.noRegionWindow, ["no window", "all of the screen"]), (.regionCastEnded, ["screen cast", "record again"]),
            (.noRegionCompositor, ["WAYLAND_DISPLAY", "--backend portal"]),
            (.unsupportedPixels(format: 0x3434_4152), ["0x34344152"]), (.noOutput, ["no monitor"]),
            (.monitorsDiffer(["DP-1", "DP-2"]), ["DP-1, DP-2", "one of them"]),
            (.regionOnSeveralMonitors(["DP-1", "DP-2"]), ["DP-1, DP-2", "single monitor"]),
            (.screenCastDeclined, []), (.screenCastClosed, ["screen cast"]), (.castStopped, ["screen cast"]),
            (.noCastLibrary(package: "libpipewire-0.3-0"), ["libpipewire-0.3-0"]),
            (.noPipeWire(.noSuchFileOrDirectory), ["PipeWire"]),
            (.castRefused("no"), ["no"]), (.castGaveNoFrame(seconds: 10), ["10 seconds"]),
            (.castLost("gone"), ["PipeWire", "gone"]),
            (.noConnection(display: ":7", code: 1), [":7", "XAUTHORITY"]),
            (.noConnection(display: "seven", code: 5), ["seven is not the name", "DISPLAY"]),
            (.noConnection(display: ":0.6", code: 6), [":0.6", "no screen of that number"]),
            (.unsupportedDepth(bits: 16, display: ":7"), [":7", "16 bits a pixel,", "24, 30 or 32", "depth 24"]),
            (.unsupportedDepth(bits: 24, display: ":7"), [":7", "24 bits a pixel in an unusual order"]),
            (.unsupportedWindowDepth(bits: 8, 0x77), ["0x77", "8 bits", "a region of it"]),
            (.unreadable(seconds: 10), ["10 seconds"]),
            (.noWindowTitled("Zürich", unreadable: []), ["\"Zürich\" in its title; kinecast sources"]),
            (.noWindowTitled("Zürich", unreadable: [0x77, 0x78]), ["(the titles of 0x77, 0x78 cannot be read)"]),
            (.missingExtensions(display: ":7"), [":7", "DAMAGE", "Xorg"]),
            (.noWindowOfApplication("gimp", existing: ["Firefox"]), ["gimp", "Firefox"]),
            (.noWindowOfApplication("gimp", existing: []), ["gimp", "open one"]),
            (.cameraFileEmpty("/a.mp4"), ["/a.mp4", "is empty", "with video"]),
            (.cameraPipeUnwritten("/a"), ["FIFO /a", "start one"]),
            (.cameraFileFailed("/a.mp4", reason: "no"), ["/a.mp4", "(no)", "with video"]),
            (.noMonitor("HDMI-9", existing: ["eDP-1", "DP-2"]), ["HDMI-9", "eDP-1, DP-2"]),
            (
                .outsideScreen(
                    PixelRect(x: 320, y: 0, width: 10, height: 20), screen: PixelSize(width: 320, height: 240)),
                ["10x20+320+0", "320x240"]
            ),
            (.noWindow(0x77_7777), ["0x777777", "kinecast sources"]),
            (.windowNotShown(0x77), ["0x77", "is not shown"]),
            (.noComposite, ["COMPOSITE", "a region of it"]), (.unknownSource("camera"), ["camera", "install"]),
            (.noDescriptor(.tooManyOpenFiles), ["Too many open files", "ulimit -n"]),
            (.noThread(name: "capture", .resourceTemporarilyUnavailable), ["capture", "ulimit -u"]),
            (.noSharedMemory(call: "memfd_create", .noMemory), ["memfd_create", "free some memory"]),
            (.tooManyReaders(40, limit: 30), ["40 destinations", "30"]),
        ] as [(VideoSourceError, [String])])
    func `a source that cannot be opened is told with what it is about and what to do`(
        error: VideoSourceError, parts: [String]
    ) {
        let sentence = error.sentence
        #expect(sentence.hasSuffix(".") && parts.allSatisfy(sentence.contains), "\(sentence)")
    }

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
