// When a window comes back: after the recording for which it left, and after one that did not begin.
import Testing

@testable import KineStudio

@Suite struct ReturningWindowTests {
    /// A window with one page.
    private func window() -> ReturningWindow {
        var window = ReturningWindow()
        #expect(window.update(pages: 1) == nil)
        return window
    }

    @Test func `a recording is shown in an open window by itself, and in a new one where none is open`() {
        var window = window()
        #expect(window.show(.recording("a")) == nil)
        #expect(window.update(pages: 0) == nil, "the person has closed it")
        #expect(window.show(.recording("b")) == .recording("b"))
    }

    @Test func `a window that left comes back once, with the recording`() {
        var window = window()
        window.leave(true)
        #expect(window.update(pages: 0) == nil)
        #expect(window.show(.recording("a")) == .recording("a"))
        #expect(window.update(pages: 1) == nil && window.update(pages: 0) == nil)
    }

    @Test func `where the recording fails before the page is gone, the window comes back as soon as it is`() {
        var window = window()
        window.leave(true)
        #expect(window.show(.form) == nil)
        #expect(window.update(pages: 0) == .form)
        #expect(window.update(pages: 0) == nil)
    }

    @Test func `a page that could not close itself stays, and no window comes`() {
        var window = window()
        window.leave(true)
        window.leave(false)
        #expect(window.show(.form) == nil && window.update(pages: 0) == nil)
    }

    @Test func `a window that the person opens meanwhile is the one that shows it`() {
        var window = window()
        window.leave(true)
        #expect(window.update(pages: 0) == nil && window.update(pages: 1) == nil)
        #expect(window.show(.recording("a")) == nil && window.update(pages: 0) == nil)
    }

    @Test func `a recording waits until a page that leaves is gone, and for none that stays`() {
        var window = window()
        window.awaitDeparture()
        #expect(window.departure == .awaited)
        window.leave(true)
        #expect(window.departure == .awaited)
        _ = window.update(pages: 2)
        #expect(window.departure == .awaited)
        window.leave(true)
        _ = window.update(pages: 1)
        #expect(window.departure == .gone, "the other one may be in a tab")
        window.awaitDeparture()
        window.leave(true)
        window.leave(false)
        #expect(window.departure == .stays)
        window.awaitDeparture()
        _ = window.update(pages: 0)
        #expect(window.departure == .closed, "a person who closes the window does not expect to be recorded")
    }
}
