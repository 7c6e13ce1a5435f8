// A monitor through the changes of a desktop: which of the monitors it is, if any.
import KineCapture
import KineMedia
import Testing

@Suite struct FollowedMonitorTests {
    private typealias Monitor = (name: String, bounds: PixelRect)

    private let left = Monitor("DP-1", PixelRect(x: 0, y: 0, width: 1920, height: 1080))
    private let right = Monitor("HDMI-1", PixelRect(x: 1920, y: 0, width: 1920, height: 1080))

    private func followed(_ monitors: [Monitor]) -> FollowedMonitor {
        var monitor = FollowedMonitor("dp-1")
        #expect(monitor.find(among: monitors) == 0 && monitor.name == "DP-1")
        return monitor
    }

    @Test func `it is found by its name, wherever it moves`() {
        var monitor = followed([left, right])
        #expect(monitor.find(among: [right, Monitor("DP-1", PixelRect(x: 0, y: 0, width: 800, height: 600))]) == 1)
        #expect(monitor.find(among: [right]) == nil)
        #expect(monitor.find(among: [left]) == 0)
    }

    @Test func `at the same place and size another name is its new one`() {
        var monitor = followed([left, right])
        #expect(monitor.find(among: [right]) == nil)
        #expect(monitor.find(among: [right, Monitor("DP-3", left.bounds)]) == 1 && monitor.name == "DP-3")
        // And is kept, also where the old name comes back.
        let moved = Monitor("DP-3", PixelRect(x: 1920, y: 0, width: 640, height: 480))
        #expect(monitor.find(among: [left, moved]) == 1)
    }

    @Test func `a monitor that was there before is not taken for it, though it takes its place`() {
        var monitor = followed([left, right])
        #expect(monitor.find(among: [Monitor("HDMI-1", left.bounds)]) == nil)
        #expect(monitor.find(among: [Monitor("DP-3", PixelRect(x: 0, y: 0, width: 1920, height: 1200))]) == nil)
    }

    @Test func `one that was never there is at no place`() {
        var monitor = FollowedMonitor("DP-9")
        #expect(monitor.find(among: [left, Monitor("DP-2", PixelRect(x: 0, y: 0, width: 0, height: 0))]) == nil)
    }
}
