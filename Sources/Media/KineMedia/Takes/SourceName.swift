// The names of sources for people: in the studio, the tray, `kinecast status` and events. The engine knows what only the
// desktop says of a source, such as a window's title; its clients show the text.
import KineText

package enum SourceName {
    /// The most characters of a title, an application or a monitor.
    private static let longest = 60

    /// "Notes — XTerm". A title that ends with the application stands alone.
    ///
    /// - Parameters: as `application` returns it; empty: the window has none, or it is not known.
    package static func window(title: String, application: String) -> String {
        let title = short(title)
        guard !title.isEmpty, !application.isEmpty else {
            return title.isEmpty && application.isEmpty ? "Window" : title + application
        }
        return title.lowercased().hasSuffix(application.lowercased()) ? title : "\(title) — \(application)"
    }

    /// - Parameters:
    ///   - windowClass: the WM_CLASS of its windows, in any case.
    ///   - entry: its name in the desktop's menu; nil: it has none there.
    package static func application(_ windowClass: String, entry: String? = nil) -> String {
        short(entry ?? windowClass.prefix(1).uppercased() + windowClass.dropFirst())
    }

    /// "DELL U2720Q", else the name of the connector. The only monitor is the whole screen.
    ///
    /// - Parameter monitors: all of the desktop's; empty: they are not known.
    fileprivate static func monitor(_ name: String, among monitors: [SourceList.Monitor]) -> String {
        let found = monitors.first { $0.name.lowercased() == name.lowercased() }
        if found != nil, monitors.count == 1 { return wholeScreen }
        return short(found?.description ?? name)
    }

    fileprivate static let wholeScreen = "Whole screen"

    fileprivate static func size(_ size: PixelSize) -> String { "\(size.width)×\(size.height)" }

    private static func short(_ text: String) -> String { text.printable(limit: longest) }
}

extension TakeConfiguration.Source {
    /// The name without what only the desktop knows: no title of a window is in it.
    package var name: String { name(on: []) }

    /// - Parameters:
    ///   - monitors: all of the desktop's; empty: they are not known.
    ///   - drawn: the size of the region that the person has drawn, in pixels; nil: it is not drawn yet.
    package func name(on monitors: [SourceList.Monitor], drawn: PixelSize? = nil) -> String {
        switch self {
        case .screen(nil): return SourceName.wholeScreen
        case .screen(let monitor?): return SourceName.monitor(monitor, among: monitors)
        case .region(let rect):
            let monitor = monitors.count > 1 ? monitors.first { $0.bounds.intersection(rect) == rect } : nil
            let place = monitor.map { SourceName.monitor($0.name, among: monitors) } ?? "the screen"
            return "Area \(SourceName.size(rect.size)) of \(place)"
        case .drawnRegion: return drawn.map { "Area \(SourceName.size($0)) of the screen" } ?? "Area of the screen"
        case .window, .focusedWindow, .windowTitled, .chosenWindow: return SourceName.window(title: "", application: "")
        case .application(let name, _): return SourceName.application(name)
        case .commandWindow(let window): return window.named?.name ?? SourceName.window(title: "", application: "")
        case .virtual(let size), .virtualWayland(let size): return "Private screen \(SourceName.size(size))"
        case .pattern(let size): return "Test pattern \(SourceName.size(size))"
        }
    }
}
