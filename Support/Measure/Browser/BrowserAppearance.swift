// How a page looks: its width, light or dark, its tab, and pictures of it.
import FoundationEssentials

extension Browser {
    public enum Scheme: String, Sendable, CaseIterable {
        case light, dark
    }

    private struct Command<Parameters: Encodable>: Encodable {
        var cmd: String
        var params: Parameters
    }

    /// Shows pages as in a window of this size in CSS pixels, for someone who prefers light or dark, or sees all in a few
    /// colours of high contrast. Only Chromium can do this.
    public func show(width: Int, height: Int, _ scheme: Scheme, isHighContrast: Bool = false) throws {
        struct Metrics: Encodable {
            var width: Int
            var height: Int
            var deviceScaleFactor = 1
            var mobile = false
        }
        struct Media: Encodable {
            var features: [[String: String]]
        }
        try tell(
            "/goog/cdp/execute",
            Command(cmd: "Emulation.setDeviceMetricsOverride", params: Metrics(width: width, height: height)))
        let features = [
            ["name": "prefers-color-scheme", "value": scheme.rawValue],
            ["name": "forced-colors", "value": isHighContrast ? "active" : "none"],
        ]
        try tell("/goog/cdp/execute", Command(cmd: "Emulation.setEmulatedMedia", params: Media(features: features)))
    }

    /// Gives the window a size in CSS pixels.
    public func resize(width: Int, height: Int) throws {
        // A browser's own parts take some of it.
        let outside: [Int] = try run("return [outerWidth - innerWidth, outerHeight - innerHeight]")
        try tell("/window/rect", ["width": width + outside[0], "height": height + outside[1]])
    }

    /// Opens another tab and shows it. Returns the handle of the earlier one, for `selectTab`.
    public func openTab() throws -> String {
        struct Tab: Decodable { var handle: String }
        let earlier: String = try ask("GET", session + "/window", nil as String?)
        let tab: Tab = try ask("POST", session + "/window/new", ["type": "tab"])
        try selectTab(tab.handle)
        return earlier
    }

    /// Closes the tab that is shown. Another one has to be selected then. Only Chromium and WebKitGTK can do this.
    public func closeTab() throws { let _: [String] = try ask("DELETE", session + "/window", nil as String?) }

    public func selectTab(_ handle: String) throws { try tell("/window", ["handle": handle]) }

    /// Takes a screenshot of the window, or of the first element that a selector finds, as a PNG file.
    public func picture(of selector: String? = nil) throws -> [UInt8] {
        let place = try selector.map { try "/element/\(element($0))" } ?? ""
        let text: String = try ask("GET", session + place + "/screenshot", nil as String?)
        return Data(base64Encoded: text).map(Array.init) ?? []
    }
}
