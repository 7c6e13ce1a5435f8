// The sentences of sources that cannot be opened, or cannot go on.
import KineMedia
import SystemPackage
import Testing

@testable import KineCapture
@testable import KinePipeWire
@testable import KineWayland
@testable import KineX11

@Suite struct SourceSentencesTests {
    @Test(
        arguments: [
            (.noDisplay, ["DISPLAY is not set", "graphical session"]),
            (.waylandSession, ["Wayland", "windows of X11 programs", "--backend x11", "session on X11"]),
            (.noCompositor(display: "wayland-7"), ["wayland-7", "WAYLAND_DISPLAY", "XDG_RUNTIME_DIR"]),
            (.noWaylandLibrary, ["libwayland-client0", "install it"]), (.noScreencopy, ["--backend wlr"]),
            (.noFramesInMemory, ["graphics card", "--backend portal"]),
            (.monitorsSilent(["DP-1"]), ["monitor DP-1 gives no picture"]),
            (.noMonitors(display: ":7"), [":7", "RANDR"]),
            (.compositorSilent, ["no picture", "monitor is on"]), (.compositorLost, ["has gone away"]),
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
            (.noRegionProgram(package: "slurp"), ["Debian's slurp", "install it"]),
            (.regionProgramFailed("no layer shell"), ["slurp", "(no layer shell)"]),
            (.regionProgramFailed(""), ["has failed;"]),
            (.noRegionWindow, ["no window", "all of the screen"]), (.regionCastEnded, ["screen cast", "record again"]),
            (.unsupportedPixels(format: 0x3434_4152), ["0x34344152"]), (.noOutput, ["no monitor"]),
            (.monitorsTooLarge(["DP-1", "DP-2"]), ["DP-1, DP-2", "--monitor NAME"]),
            (.regionOnSeveralMonitors(["DP-1", "DP-2"]), ["DP-1, DP-2", "single monitor"]),
            (.screenCastClosed, ["screen cast"]), (.castStopped, ["screen cast"]),
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
            (
                .missingExtensions(display: ":7", feature: "drawing a region"),
                [":7", "DAMAGE", "drawing a region", "Xorg"]
            ),
            (.noWindowOfApplication("gimp", existing: ["Firefox"]), ["gimp", "Firefox"]),
            (.noWindowOfApplication("gimp", existing: []), ["gimp", "open one"]),
            (.cameraFileEmpty("/a.mp4"), ["/a.mp4", "is empty", "with video"]),
            (.cameraPipeUnwritten("/a"), ["FIFO /a", "start one"]),
            (.cameraFailed("no", of: .file("/a.mp4")), ["/a.mp4", "(no)", "with video"]),
            (.noMonitor("HDMI-9", existing: ["eDP-1", "DP-2"]), ["HDMI-9", "eDP-1, DP-2"]),
            (
                .outsideScreen(
                    PixelRect(x: 320, y: 0, width: 10, height: 20), screen: PixelSize(width: 320, height: 240)),
                ["10x20+320+0", "320x240"]
            ),
            (.noWindow(0x77_7777), ["0x777777", "kinecast sources"]),
            (.windowNotShown(0x77), ["0x77", "is not shown"]),
            (.noComposite, ["COMPOSITE", "a region of it"]),
            (.noDescriptor(.tooManyOpenFiles), ["Too many open files", "ulimit -n"]),
            (.noThread(name: "capture", .resourceTemporarilyUnavailable), ["capture", "ulimit -u"]),
            (.noSharedMemory(call: "memfd_create", .noMemory), ["memfd_create", "free some memory"]),
        ] as [(VideoSourceError, [String])])
    func `a source that cannot be opened is told with what it is about and what to do`(
        error: VideoSourceError, parts: [String]
    ) {
        let sentence = error.sentence
        #expect(sentence.hasSuffix(".") && parts.allSatisfy(sentence.contains), "\(sentence)")
    }
}
