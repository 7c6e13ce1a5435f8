// A window that must not be seen, dragged for long, and under a compositing manager: how soon that paints what lay
// below a window depends on the machine.
import CoreTesting
import ProcessTesting
import Testing

@Suite(.serialized, .tags(.real, .endurance)) struct ExcludedWindowTests {
    @Test(arguments: ExcludedWindow.Manager.allCases, ["cover", "beneath"])
    func `a window that must not be seen is in no frame, whatever manages the windows`(
        manager: ExcludedWindow.Manager, how: String
    ) throws {
        #expect(try ExcludedWindow.record(under: manager, how: how, steps: 2400).showing == [])
    }

    @Test(arguments: [ExcludedWindow.Manager.none, .picom])
    func `a window that must not be seen is in no frame of a drag of a minute`(manager: ExcludedWindow.Manager) throws {
        let recording = try ExcludedWindow.record(under: manager, steps: 6000)
        let place = manager == .picom ? "under picom" : "without a compositing manager"
        print("Dragged for a minute \(place): seen in \(recording.showing.count) of \(recording.count) frames.")
        Margin.atMost(0, Double(recording.showing.count), "frames", "that show it, \(place)")
        #expect(recording.showing == [])
    }
}
