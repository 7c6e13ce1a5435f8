// One sentence for each error of KineCapture: what happened, on what, and what to do.
import KineCapture
import KineMedia
import KinePlatform
import KinePulse
import KineRings

extension VideoSourceError {
    package var sentence: String {
        switch self {
        case .windowClosed: "The window was closed, so the recording ends here."
        case .serverLost: "The X server has gone away, so the recording ends here."
        case .serverGivenUp: "The X server did not answer, so its connection was closed; start it again."
        case .unreadable(let seconds):
            "The X server has let no pixels be read for \(seconds) seconds, so the recording ends here; start the X server again."
        case .noDisplay:
            "There is no display: DISPLAY is not set. Run inside a graphical session."
        case .waylandSession:
            "This session runs on Wayland, where X11 has no screen and only the windows of X11 programs; record the screen without "
                + "--backend x11, or log in to a session on X11."
        // XCB_CONN_CLOSED_PARSE_ERR and XCB_CONN_CLOSED_INVALID_SCREEN of xcb.h.
        case .noConnection(let display, code: 5):
            "\(display.printable(limit: 200)) is not the name of an X display; correct DISPLAY, which most sessions set to :0."
        case .noConnection(let display, code: 6):
            "The X server of \(display) has no screen of that number; leave out the number behind the point in DISPLAY."
        case .noConnection(let display, _):
            "The X display \(display) cannot be opened; check that it runs and that XAUTHORITY names its "
                + "cookie file."
        case .unsupportedDepth(let bits, let display):
            "The display \(display) has \(bits) bits a pixel\(unusual(bits)), and only 24, 30 or 32 can be recorded, in the order of RGB "
                + "or BGR; start the X server with depth 24."
        case .unsupportedWindowDepth(let bits, let id):
            "The window 0x\(String(id, radix: 16)) has \(bits) bits a pixel\(unusual(bits)), and only windows of 24, 30 or 32 can be "
                + "recorded, in the order of RGB or BGR; record the screen or a region of it."
        case .missingExtensions(let display):
            "The X server \(display) lacks DAMAGE, XFIXES or RANDR, which recording needs; use Xorg or Xvfb."
        case .noInputEvents:
            "The X server lacks XInput 2 or XKB, without which clicks and keys cannot be shown; record without them."
        case .missingLibrary(let package): "Showing keys needs Debian's \(package), which is not installed; install it."
        case .noCompositor(let display):
            "The Wayland compositor \(display.printable(limit: 200)) does not answer; check WAYLAND_DISPLAY and XDG_RUNTIME_DIR."
        case .noWaylandLibrary:
            "A Wayland session needs Debian's libwayland-client0, which is not installed; install it."
        case .noScreencopy:
            "This compositor does not let programs copy its screen (by wlr-screencopy or ext-image-copy-capture); leave out --backend wlr, so that the desktop is asked."
        case .compositorSilent:
            "The Wayland compositor gives no picture of its screen; check that the monitor is on, and start the session again."
        case .compositorLost: "The Wayland compositor has gone away, so the recording ends here."
        case .notOnWayland(let feature):
            "A session on Wayland does not give what \(feature.words) needs; leave it out, or log in to a session on X11."
        case .noWindowsOnWayland(let feature):
            "A session on Wayland does not give what \(feature.words) needs, since it tells programs of no windows; record the screen."
        case .noWindowDialog:
            "A window can be chosen only on a Wayland desktop that shows its own dialog; log in to one."
        case .noRegionProgram(let package):
            "Drawing a region on Wayland needs Debian's \(package), which is not installed; install it."
        case .regionProgramFailed(let words):
            "slurp, with which a region is drawn on Wayland, has failed\(words.isEmpty ? "" : " (\(words.printable(limit: 200)))"); draw "
                + "one once more."
        case .noFramesInMemory:
            "The Wayland compositor copies its screen into a graphics card's memory alone; add --backend portal, so that the desktop is asked."
        case .noRegionWindow:
            "This compositor shows no window in which a region could be drawn (xdg-shell); record all of the screen."
        case .noRegionCompositor:
            "A region is drawn on what the desktop's portal gives only in a session on Wayland, where WAYLAND_DISPLAY is set; leave out "
                + "--backend portal."
        case .unsupportedPixels(let format):
            "The Wayland compositor draws pixels of an unknown kind (0x\(String(format, radix: 16))); record another monitor."
        case .noOutput: "The Wayland compositor has no monitor; turn one on."
        case .monitorsDiffer(let names):
            "The monitors \(names.joined(separator: ", ")) cannot be recorded together, since some are turned or denser than others; "
                + "choose one of them."
        case .regionOnSeveralMonitors(let names):
            "The region lies on several monitors (\(names.joined(separator: ", "))); choose one on a single monitor."
        case .noMonitor(let name, let existing):
            "There is no monitor \(name) on this display; it has \(existing.joined(separator: ", "))."
        case .outsideScreen(let area, let screen):
            "The region \(text(area.size))+\(area.x)+\(area.y) lies outside the screen, which is \(text(screen)); choose one "
                + "inside it."
        case .outsideSource(let area, let source):
            "The crop \(text(area.size))+\(area.x)+\(area.y) lies outside the source, which is \(text(source)); choose one "
                + "inside it."
        case .noWindow(let id):
            "There is no window 0x\(String(id, radix: 16)) on this display; kinecast sources lists them."
        case .windowNotShown(let id):
            "The window 0x\(String(id, radix: 16)) is not shown, so it has no content; open it and record again."
        case .noFocusedWindow:
            "No window of this display has the focus; click into one, or name it: kinecast sources lists them."
        case .noWindowTitled(let title, let unreadable):
            "No window of this display has \"\(title.printable(limit: 100))\" in its title"
                + "\(unreadable.isEmpty ? "" : " (the titles of \(list(unreadable)) cannot be read)"); kinecast sources lists them."
        case .noWindowOfCommand(let window, let seconds, let isPrivateScreen):
            "COMMAND opened no \(window.words) within \(seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)") s; "
                + "\(window.hint(isPrivateScreen: isPrivateScreen)), or give it longer with --wait."
        case .noWindowOfApplication(let name, let existing):
            "No window of \(name.printable(limit: 100)) is shown on this display"
                + "\(existing.isEmpty ? "" : " (there are windows of \(existing.prefix(20).joined(separator: ", ")))"); open one and "
                + "record again."
        case .severalWindowsTitled(let title, let ids):
            "\(ids.count) windows have \"\(title.printable(limit: 100))\" in their titles "
                + "(\(list(ids))); give more of the title, or one of "
                + "these ids."
        case .regionCancelled:
            "Drawing the region was cancelled; draw one."
        case .regionNotDrawn:
            "No region was drawn for a minute; draw one."
        case .regionCastEnded:
            "The desktop has ended its screen cast while a region was drawn in its picture; record again."
        case .inputGrabbed:
            "No region can be drawn, since another program has the mouse or the keyboard to itself; close its menu or dialog."
        case .noComposite:
            "The X server lacks the COMPOSITE extension, which recording a window needs, or RENDER and SHAPE, which recording an "
                + "application needs too; record the screen or a region of it."
        case .screenCastDeclined:
            "The desktop asked whether its screen may be recorded, and the answer was no; record again, and choose what to share."
        case .screenCastClosed, .castStopped:
            "The desktop has ended its screen cast, as it does when a window is closed, so the recording ends here."
        case .screenCastFailed(let sentence): sentence
        case .noCamera(nil, _):
            "There is no camera on this machine; plug one in, or record without it."
        case .noCamera(let name?, let existing):
            "There is no camera called \(name.printable(limit: 100))\(existing.isEmpty ? "" : " (there is: \(existing.joined(separator: ", ")))"); "
                + "kinecast sources lists them."
        case .cameraFileUnreadable(let path, let errno):
            "The file \(path.printable(limit: 400)), which stands in for a camera, cannot be read (\(errno)); give the path of a file "
                + "with video."
        case .cameraFileEmpty(let path):
            "The file \(path.printable(limit: 400)), which stands in for a camera, is empty; give the path of a file with video."
        case .cameraPipeUnwritten(let path):
            "No program writes into the FIFO \(path.printable(limit: 400)), which stands in for a camera; start one that does."
        case .cameraFileFailed(let path, let reason):
            "The file \(path.printable(limit: 400)), which stands in for a camera, gives no picture (\(reason)); give the path of a file "
                + "with video."
        case .noCameraLibrary(let package):
            "A camera needs \(package), which is not installed; install that Debian package."
        case .cameraFailed(let reason):
            "The camera gives no picture (\(reason)); check its cable, and whether another program uses it."
        case .noCastLibrary(let package):
            "A Wayland desktop's screen comes over PipeWire, whose library is not installed; install Debian's \(package)."
        case .noPipeWire(let errno):
            "PipeWire, over which a Wayland desktop's screen comes, does not answer (\(errno)); start pipewire and wireplumber."
        case .castRefused(let reason):
            "PipeWire does not give out the desktop's screen cast\(reason.isEmpty ? "" : " (\(reason.printable(limit: 100)))"); check that "
                + "wireplumber runs, and record again."
        case .castGaveNoFrame(let seconds):
            "The desktop's screen cast gave no picture for \(seconds) seconds; check that wireplumber runs and that the screen is on, and "
                + "record again."
        case .castLost(let reason):
            "The connection with PipeWire was lost (\(reason.printable(limit: 100))), so the recording ends here; record again when it runs."
        case .unknownSource(let source):
            "This engine cannot record: \(source); install Kinecast completely."
        case .noDescriptor(let errno):
            "No file descriptor can be had for the test pattern (\(errno)); raise the limit with ulimit -n."
        case .noThread(let name, let errno): DedicatedThread.explanation(of: errno, thread: name)
        case .noSharedMemory(let call, let errno): SharedMemory.Error.system(call: call, errno).description
        case .tooManyReaders(let count, let limit):
            "\(count) destinations want uncompressed frames, and one take has room for \(limit); leave some out, or give them "
                + "to a second take."
        }
    }
}

extension VideoSourceError.Feature {
    /// For the middle of a sentence.
    fileprivate var words: String {
        switch self {
        case .window: "recording a window"
        case .application: "recording an application"
        case .hiddenWindows: "hiding windows"
        case .clicks: "showing clicks"
        case .keys: "showing keys"
        case .largerCursor: "a larger cursor"
        }
    }
}

extension VideoSourceInterruption {
    var sentence: String {
        switch self {
        case .castLost:
            "The connection with PipeWire was lost; the recording goes on with the last picture, and the desktop is asked for its screen "
                + "again as soon as PipeWire is back."
        case .castStopped:
            "The desktop's screen cast has stopped; the recording goes on with the last picture, and the desktop is asked for its screen "
                + "again."
        }
    }
}

extension X11CommandWindow {
    /// For the middle of a sentence.
    var words: String {
        switch self {
        case .first: "window"
        case .titled(let title): "window with \"\(title.printable(limit: 100))\" in its title"
        case .application(let name, _): "window of \(name.printable(limit: 100))"
        }
    }

    fileprivate func hint(isPrivateScreen: Bool) -> String {
        switch self {
        case .titled, .application: "correct the name"
        case .first where isPrivateScreen: "record all of its screen, without --window, to see what it shows"
        case .first: "its windows may not name its process, so name one with --window title:TEXT"
        }
    }
}

extension VirtualSession.Error {
    var sentence: String {
        switch self {
        case .missing(let program, let package):
            "A virtual screen needs \(program), which is not installed; install the package \(package)."
        case .cannotStart(let program, let errno): "\(program) did not start: \(errno)."
        case .cookieNotWritten(let errno): "Xvfb did not start: its cookie file cannot be written (\(errno))."
        case .noDisplayNumber(let size):
            "Xvfb did not start: it named no display; try a smaller size than \(text(size))."
        case .noCompositor(let size):
            "sway did not start: it has no output; try a smaller size than \(text(size)), or run it by hand to see why."
        case .noAnswer(let program): "\(program) did not start: it does not answer; run it by hand to see why."
        case .cancelled: "The take was ended before its private screen was there."
        }
    }
}

extension AudioCapture.Error {
    package var sentence: String {
        switch self {
        case .noServer(let fault):
            "No audio server answers (\(fault.words)); start PulseAudio or PipeWire, or set PULSE_SERVER."
        case .missing(let missing): missing.sentence
        case .noThread(let errno): DedicatedThread.explanation(of: errno, thread: "audio")
        }
    }
}

extension AudioWarning {
    var sentence: String {
        switch self {
        case .serverLost(let fault):
            "The audio server is gone (\(fault.words)); the recording is silent until it is back."
        case .missing(let missing): missing.sentence
        case .gone(let target): "\(target.words) was unplugged; the recording goes on without it until it is back."
        case .inaudible(let audio): audio.sentence
        case .silentMicrophone(let seconds):
            "The microphone has given digital silence for \(seconds) seconds; check that it is on and not muted."
        }
    }
}

extension InaudibleAudio {
    fileprivate var sentence: String {
        let name = name.printable(limit: 100)
        let subject = if case .application = target { "The audio of \(name)" } else { "The output \(name)" }
        return switch level {
        case .faint: "\(subject) is turned down below -60 dB, and so is its recording; turn it up."
        case .audible, .muted: "\(subject) is muted, so its recording is silent; unmute it."
        }
    }
}

extension AudioTarget {
    /// For the beginning of a sentence.
    fileprivate var words: String {
        switch self {
        case .defaultOutput: "The audio output"
        case .output(let name): "The output \(name)"
        case .application(let name): "The audio of \(name)"
        case .defaultMicrophone: "The microphone"
        case .microphone(let name): "The microphone \(name)"
        }
    }
}

extension AudioServerFault {
    /// For the middle of a sentence.
    var words: String {
        switch self {
        case .noLibrary: "Debian's libpulse0 is not installed"
        case .pulse(let error): error.description
        case .outOfMemory: "out of memory"
        case .noAnswer(let seconds): "it does not answer within \(seconds) seconds"
        case .cancelled: "the take was ended before it answered"
        }
    }
}

extension MissingAudio {
    fileprivate var sentence: String {
        let instead = existing.isEmpty ? "" : " (there is: \(existing.joined(separator: ", ")))"
        return switch target {
        case .defaultOutput: "The audio server has no output; the recording is silent until one appears."
        case .output(let name): "There is no output called \(name)\(instead); see kinecast sources for the names."
        case .application(let name):
            "No application called \(name) plays audio\(instead); its track is silent until it does."
        case .defaultMicrophone: "The audio server has no microphone; plug one in, or record without it."
        case .microphone(let name):
            "There is no microphone called \(name)\(instead); see kinecast sources for the names."
        }
    }
}

extension AudioTarget {
    /// Says that its device is there and has delivered nothing, not even silence.
    package var undeliveredSentence: String {
        let name = isMicrophone ? "microphone" : "audio output"
        return "The \(name) has delivered nothing for 5 seconds; the take goes on, and is silent until it does."
    }
}

/// Where the number of bits is not what is wrong.
private func unusual(_ bits: Int) -> String { [24, 30, 32].contains(bits) ? " in an unusual order" : "" }

private func list(_ windows: [UInt32]) -> String {
    windows.prefix(8).map { "0x" + String($0, radix: 16) }.joined(separator: ", ")
}

private func text(_ size: PixelSize) -> String { "\(size.width)x\(size.height)" }
