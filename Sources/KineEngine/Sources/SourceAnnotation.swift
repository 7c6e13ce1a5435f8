// Describes to extensions what is recorded. Texts for a person, unless a key says otherwise.
import KineControl
import KineMedia

/// The keys of `Take.annotation`, and their values.
enum SourceAnnotation {
    /// "screen", "region", "window", "virtual" or "pattern".
    static let source = "source"
    /// The size to show: "1920x1080".
    static let size = "size"
    /// The monitor's name, if one was chosen.
    static let monitor = "monitor"
    /// A window's title, when the take began.
    static let title = "title"
    /// A window's application: its WM_CLASS.
    static let application = "application"
    /// The process that a window belongs to, as it says itself: a decimal number.
    static let process = "pid"

    /// May ask a display server, and block for some milliseconds. Unknown values are left out.
    static func describe(_ configuration: TakeConfiguration, size: PixelSize) -> [String: String] {
        var result = SourceRegistry.kind(of: configuration)?.annotation ?? [:]
        result[self.size] = "\(size.width)x\(size.height)"
        return result
    }
}
