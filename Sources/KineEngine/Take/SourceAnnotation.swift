// What an extension is told of the thing that is shown. Texts for a person, except where a key says otherwise.
import KineCapture
import KineControl
import KineMedia

/// The keys of `Take.annotation`, and their values.
public enum SourceAnnotation {
    /// "screen", "region", "window", "virtual" or "pattern".
    public static let source = "source"
    /// The picture's size to show: "1920x1080".
    public static let size = "size"
    /// The monitor's name, where one was chosen.
    public static let monitor = "monitor"
    /// A window's title, when the take began.
    public static let title = "title"
    /// A window's application: its WM_CLASS.
    public static let application = "application"
    /// The process that a window belongs to, as it says itself: a decimal number.
    public static let process = "pid"

    /// Asks the X server about a window; blocks for some milliseconds. What is not known is left out.
    static func describe(_ source: TakeConfiguration.Source, size: PixelSize) -> [String: String] {
        var result = [self.size: "\(size.width)x\(size.height)"]
        switch source {
        case .screen(let monitor):
            result[self.source] = "screen"
            result[self.monitor] = monitor
        case .region: result[self.source] = "region"
        case .virtual: result[self.source] = "virtual"
        case .pattern: result[self.source] = "pattern"
        case .window(let id):
            result[self.source] = "window"
            if let inventory = try? X11Inventory(), let window = inventory.windows.first(where: { $0.id == id }) {
                if !window.title.isEmpty { result[title] = window.title }
                if !window.application.isEmpty { result[application] = window.application }
                if let pid = window.processID { result[process] = "\(pid)" }
            }
        }
        return result
    }
}
