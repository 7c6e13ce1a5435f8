// A window that must not be seen, under a compositing manager: how long that paints a window which has gone depends on the machine.
import ProcessTesting
import Testing

@Suite(.serialized) struct ExcludedWindowTests {
    @Test func `a window that must not be seen is in no frame under picom with fading`() throws {
        #expect(try ExcludedWindow.framesThatShowIt(isComposited: true) == [])
    }
}
