// When a window comes back: after the recording for which it left, and after one that did not begin.
import Testing

@testable import KineStudio

@Suite struct StudioWindowsTests {
    /// Windows of which one is open, and what is opened.
    private final class Desktop {
        private(set) var opened: [StudioWindows.Content] = []
        private(set) lazy var windows = StudioWindows { [unowned self] content in
            opened.append(content)
            return nil
        }

        init() { windows.update(pages: 1) }
    }

    @Test func `a recording is shown in an open window by itself, and in a new one where none is open`() {
        let desktop = Desktop()
        desktop.windows.recordingEnded("a", isAlone: true)
        desktop.windows.update(pages: 0)
        #expect(desktop.opened == [], "the person has closed it")
        desktop.windows.recordingEnded("b", isAlone: true)
        #expect(desktop.opened == [.recording("b")])
        desktop.windows.recordingEnded(nil, isAlone: true)
        #expect(desktop.opened == [.recording("b"), .form])
    }

    @Test func `a window that left comes back once, with the recording`() {
        let desktop = Desktop()
        desktop.windows.leave(true)
        desktop.windows.update(pages: 0)
        #expect(desktop.opened == [])
        desktop.windows.recordingEnded("a", isAlone: true)
        #expect(desktop.opened == [.recording("a")])
        desktop.windows.update(pages: 1)
        desktop.windows.update(pages: 0)
        #expect(desktop.opened.count == 1)
    }

    @Test func `none comes below a lock, or into the picture of another take`() throws {
        let desktop = Desktop()
        desktop.windows.update(pages: 0)
        desktop.windows.recordingEnded("a", isAlone: false)
        desktop.windows.received(TakeNotice(kind: .locked, text: ""))
        desktop.windows.recordingEnded("a", isAlone: true)
        #expect(desktop.opened == [])
        desktop.windows.allTakesEnded()
        desktop.windows.recordingEnded("b", isAlone: true)
        #expect(desktop.opened == [.recording("b")])
    }

    @Test func `where the recording fails before the page is gone, the window comes back as soon as it is`() {
        let desktop = Desktop()
        desktop.windows.leave(true)
        desktop.windows.recordingFailed()
        #expect(desktop.opened == [])
        desktop.windows.update(pages: 0)
        #expect(desktop.opened == [.form])
        desktop.windows.update(pages: 0)
        #expect(desktop.opened == [.form])
    }

    @Test func `a page that could not close itself stays, and no window comes`() {
        let desktop = Desktop()
        desktop.windows.leave(true)
        desktop.windows.leave(false)
        desktop.windows.recordingFailed()
        desktop.windows.update(pages: 0)
        #expect(desktop.opened == [])
    }

    @Test func `a window that the person opens meanwhile is the one that shows it`() {
        let desktop = Desktop()
        desktop.windows.leave(true)
        desktop.windows.update(pages: 0)
        desktop.windows.update(pages: 1)
        desktop.windows.recordingEnded("a", isAlone: true)
        desktop.windows.update(pages: 0)
        #expect(desktop.opened == [])
    }

    @Test func `a recording waits until a page that leaves is gone, and for none that stays`() {
        let windows = Desktop().windows
        windows.awaitDeparture()
        #expect(windows.departure == .awaited)
        windows.leave(true)
        #expect(windows.departure == .awaited)
        windows.update(pages: 2)
        #expect(windows.departure == .awaited)
        windows.leave(true)
        windows.update(pages: 1)
        #expect(windows.departure == .gone, "the other one may be in a tab")
        windows.awaitDeparture()
        windows.leave(true)
        windows.leave(false)
        #expect(windows.departure == .stays)
        windows.awaitDeparture()
        windows.update(pages: 0)
        #expect(windows.departure == .closed, "a person who closes the window does not expect to be recorded")
    }
}
