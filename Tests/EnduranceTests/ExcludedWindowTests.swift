// A window that must not be seen, dragged for long, and under a compositing manager: how soon that paints what lay
// below a window depends on the machine.
import CoreTesting
import ProcessTesting
import Testing

@Suite(.serialized, .tags(.real, .endurance)) struct ExcludedWindowTests {
    @Test func `a window that must not be seen is in no frame under picom with fading`() throws {
        #expect(try ExcludedWindow.record(isComposited: true).showing == [])
    }

    @Test(arguments: [false, true])
    func `a window that must not be seen is in no frame of a drag of a minute`(isComposited: Bool) throws {
        let recording = try ExcludedWindow.record(isComposited: isComposited, steps: 6000)
        let place = isComposited ? "under picom" : "without a compositing manager"
        print("Dragged for a minute \(place): seen in \(recording.showing.count) of \(recording.count) frames.")
        Margin.atMost(0, Double(recording.showing.count), "frames", "that show it, \(place)")
        #expect(recording.showing == [])
    }
}
