// Follows one monitor through the changes of a desktop: it may be unplugged, and come back under another name.
import KineMedia

/// The monitor that a source shows.
public struct FollowedMonitor: Sendable {
    /// As the person or the desktop calls it; changes where it comes back under another name.
    public private(set) var name: String
    /// Its place on the desktop when it was there last.
    private var bounds: PixelRect?
    /// The other monitors, when it was there last: one of them that takes its place is not the recorded one.
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
