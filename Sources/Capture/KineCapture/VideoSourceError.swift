// The error codes of video sources. KineTake makes the sentences.
import KineMedia
import SystemPackage

/// The reasons why a source stands still for a while.
public enum VideoSourceInterruption: Equatable, Sendable {
    /// The connection with PipeWire was lost, and the desktop is asked for its cast again when PipeWire is back.
    case castLost
    /// The desktop sends nothing any more, and is asked again.
    case castStopped
}

/// The reasons why a source cannot go on, or could not be opened.
public enum VideoSourceError: Error, Equatable, Sendable {
    /// Features that a take can ask for and some screens lack.
    public enum Feature: Sendable, CaseIterable {
        case window, application, hiddenWindows, clicks, keys, largerCursor
    }

    /// Its natural end: the recording is whole.
    case windowClosed
    /// The X server went away while it was recorded.
    case serverLost
    /// The X server did not answer, and the wait for it was cancelled.
    case serverGivenUp
    /// The source gave no pixels for that time, though it was there.
    case unreadable(seconds: Int)

    // MARK: An X server that cannot be recorded

    /// DISPLAY names none.
    case noDisplay
    /// The session's screen is that of a Wayland compositor.
    case waylandSession
    /// `code` is what `xcb_connection_has_error` returned.
    case noConnection(display: String, code: Int32)
    /// The screen's pixels cannot be converted.
    case unsupportedDepth(bits: Int, display: String)
    /// The window's pixels cannot be converted.
    case unsupportedWindowDepth(bits: Int, UInt32)
    /// DAMAGE, XFIXES or RANDR is missing.
    case missingExtensions(display: String)
    /// The server does not tell what mice and keyboards do (XI2).
    case noInputEvents
    /// Keys cannot be shown without what Debian's package has.
    case missingLibrary(package: String)

    // MARK: A Wayland compositor that cannot be recorded

    /// Nothing takes connections at that name.
    case noCompositor(display: String)
    /// libwayland-client is not installed.
    case noWaylandLibrary
    /// It does not let its clients copy the screen.
    case noScreencopy
    /// It does not answer, or gives no first frame.
    case compositorSilent
    /// It has ended, or has refused a request.
    case compositorLost
    /// No compositor gives what this needs.
    case notOnWayland(Feature)
    /// No compositor tells its clients of their windows, which this needs.
    case noWindowsOnWayland(Feature)
    /// The person is to choose a window, and no desktop's portal is asked that could show them a dialog.
    case noWindowDialog
    /// A region is to be drawn, and the program that has it drawn is not installed; its Debian package.
    case noRegionProgram(package: String)
    /// The program that has a region drawn has failed; its last words, or nothing.
    case regionProgramFailed(String)
    /// It copies its screen into memory of a graphics card alone, which is not read here.
    case noFramesInMemory
    /// A region is to be drawn, and the compositor lacks what a window needs in which that could be done.
    case noRegionWindow
    /// A region is to be drawn in what the portal gives, and no compositor is named that could show a window.
    case noRegionCompositor
    /// It draws pixels of a kind that is not known here; wl_shm's number of it.
    case unsupportedPixels(format: UInt32)

    // MARK: A target that is not there

    /// No monitor at all.
    case noOutput
    /// Their pixels cannot be put beside each other: some are turned, or denser than others.
    case monitorsDiffer([String])
    case regionOnSeveralMonitors([String])

    case noMonitor(String, existing: [String])
    case outsideScreen(PixelRect, screen: PixelSize)
    /// The crop lies outside of the upright source.
    case outsideSource(PixelRect, source: PixelSize)
    case noWindow(UInt32)
    case windowNotShown(UInt32)
    case noFocusedWindow
    /// `unreadable` are windows whose titles are in character sets that are not known here.
    case noWindowTitled(String, unreadable: [UInt32] = [])
    /// The program that was started has not opened it within that time.
    case noWindowOfCommand(X11CommandWindow, seconds: Double, isPrivateScreen: Bool)
    /// None is shown. `existing` are the applications that have one.
    case noWindowOfApplication(String, existing: [String])
    /// The person did not want to draw a region.
    case regionCancelled
    /// The person was asked to draw a region, and did nothing for a minute.
    case regionNotDrawn
    /// The desktop has ended its screen cast while the person drew a region in its picture.
    case regionCastEnded
    /// A region was to be drawn, and another program has the mouse or the keyboard to itself.
    case inputGrabbed
    case severalWindowsTitled(String, [UInt32])
    /// Without the Composite extension, no window can be recorded, and an application's not without Render and Shape either.
    case noComposite

    // MARK: A screen cast of the desktop

    /// The person did not permit it.
    case screenCastDeclined
    /// Its natural end: the desktop has ended it, as the person may have asked it to; or the window was closed.
    case screenCastClosed
    /// It has not begun, or cannot go on; the sentence.
    case screenCastFailed(String)

    // MARK: A camera

    /// There is no camera of that name; nil: none at all.
    case noCamera(String?, existing: [String])
    case cameraFileUnreadable(String, Errno)
    case cameraFileEmpty(String)
    /// The file is a FIFO that no process writes into.
    case cameraPipeUnwritten(String)
    /// A file gives no frames, or none any more; words for the middle of a sentence.
    case cameraFileFailed(String, reason: String)
    /// The library that opens cameras is not installed; its Debian package.
    case noCameraLibrary(String)
    /// It cannot be opened, or gives no frames any more; words for the middle of a sentence.
    case cameraFailed(String)

    // MARK: A screen cast over PipeWire

    /// libpipewire is not installed; its Debian package.
    case noCastLibrary(package: String)
    /// There is no daemon, or the connection with it is of no use.
    case noPipeWire(Errno)
    /// PipeWire does not give the cast out; what it says, or nothing.
    case castRefused(String)
    /// The cast is open, and no frame came within that time.
    case castGaveNoFrame(seconds: Int)
    /// The compositor has sent nothing for a while, and cannot: it has crashed, or the window was closed. PipeWire itself is there.
    case castStopped
    /// The connection with PipeWire was lost while it was recorded; what the library says.
    case castLost(String)

    // MARK: Others

    /// This version has no source of that kind.
    case unknownSource(String)

    // MARK: Resources

    case noDescriptor(Errno)
    case noThread(name: String, Errno)
    /// Memory for frames that readers share; `call` failed.
    case noSharedMemory(call: String, Errno)
    /// More readers than `limit` want the source's own frames.
    case tooManyReaders(Int, limit: Int)
}
