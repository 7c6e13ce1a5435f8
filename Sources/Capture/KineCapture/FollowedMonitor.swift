// Follows one monitor through the changes of a desktop: it may be unplugged, and come back under another name.
import KineMedia

/// The monitor that a source shows.
public struct FollowedMonitor: Sendable {
    /// The person's or the desktop's name for it; changes if the monitor comes back under another name.
    public private(set) var name: String
    /// Its last known place on the desktop.
    private var bounds: PixelRect?
    /// The monitors that were there beside it: if one of these takes its place, that is not the recorded monitor.
    private var others: Set<String> = []

    public init(_ name: String) { self.name = name }

    /// The index of the monitor among the desktop's; nil: it is gone. Case does not matter in its name.
    public mutating func find(among monitors: [(name: String, bounds: PixelRect)]) -> Int? {
        let wanted = name.lowercased()
        let index =
            monitors.firstIndex { $0.name.lowercased() == wanted }
            ?? monitors.firstIndex { $0.bounds == bounds && !$0.bounds.isEmpty && !others.contains($0.name) }
        guard let index else { return nil }
        (name, bounds) = (monitors[index].name, monitors[index].bounds)
        others = Set(monitors.map(\.name)).subtracting([name])
        return index
    }
}
