// Tells a cast that ended with its monitor from one that a person ended: portals say the same of both.
import KineCapture
import KineDesktop
import KineWayland

/// The monitor that a portal casts, as the compositor knows it.
struct CastMonitor {
    private let display: String
    private var monitor: FollowedMonitor

    /// Nil if it is not known which of the compositor's monitors is cast: there is no compositor, or several monitors and the portal
    /// says no position.
    ///
    /// - Parameter name: the monitor that was asked for, if any.
    init?(of stream: ScreenCastStream, named name: String?) {
        guard let display = WaylandSession.compositor, let outputs = try? WaylandInventory(display: display).outputs
        else { return nil }
        let found =
            stream.position.flatMap { place in
                outputs.first { ($0.bounds.x, $0.bounds.y) == (Int(place.x), Int(place.y)) }?.name
            } ?? name ?? (outputs.count == 1 ? outputs[0].name : nil)
        guard let found else { return nil }
        self.display = display
        monitor = FollowedMonitor(found)
        guard find(in: outputs) else { return nil }
    }

    var name: String { monitor.name }

    /// Asks the compositor. If it does not answer, the monitor counts as plugged.
    mutating func isPlugged() -> Bool {
        guard let outputs = try? WaylandInventory(display: display).outputs else { return true }
        return find(in: outputs)
    }

    private mutating func find(in outputs: [WaylandOutput]) -> Bool {
        monitor.find(among: outputs.map { ($0.name, $0.bounds) }) != nil
    }
}
