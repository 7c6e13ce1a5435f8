// Tells whether a recorder could record now, and when that changes.
import Glibc
import KineClient
import KineMedia
import KinePlatform
import KineWire
import SystemPackage

/// Checks whether the machine has what a recording needs.
enum Availability {
    /// Asks an engine for the available sources. Takes about 30 ms of processor time.
    static func check(_ scope: CaptureScope, _ locator: EngineLocator) async -> Bool {
        let server: String? =
            switch scope {
            case .virtual: "Xvfb"
            case .virtualWayland: "sway"
            default: nil
            }
        if let server { return (try? locator.locate()) != nil && ExecutableSearch.find(server) != nil }
        guard let sources = try? await EngineReport.sources(locator) else { return false }
        return has(scope, sources)
    }

    /// Whether a list of sources contains the one that `scope` names.
    static func has(_ scope: CaptureScope, _ sources: SourceList) -> Bool {
        switch scope {
        case .ownWindow: sources.windows.contains { $0.processID == getpid() }
        case .window(let id): sources.windows.contains { $0.id == id }
        case .chosenWindow: sources.dialogs.contains(.window)
        case .focusedWindow: !sources.windows.isEmpty
        case .windowTitled(let title):
            sources.windows.contains { $0.title.lowercased().contains(title.lowercased()) }
        case .application(let name, _):
            sources.windows.contains { $0.application.lowercased() == name.lowercased() }
        case .monitor(let name):
            hasScreen(sources) && sources.monitors.contains { $0.name.lowercased() == name.lowercased() }
        case .screen, .region, .drawnRegion: hasScreen(sources)
        case .virtual, .virtualWayland: true
        }
    }

    /// Whether any screen can be recorded. The portal's dialog shows the monitors itself, so `monitors` may be empty there.
    private static func hasScreen(_ sources: SourceList) -> Bool {
        sources.screenBackend == .portal || sources.screenBackend != nil && !sources.monitors.isEmpty
    }

    /// Values that change when the answer may have changed; cheap enough to compare every few seconds.
    struct Signs: Equatable {
        let scope: CaptureScope
        private let engine: FilePath?
        private let hasDisplay: Bool
        private let hasCompositor: Bool

        init(_ scope: CaptureScope, _ locator: EngineLocator) {
            self.scope = scope
            engine = try? locator.locate()
            hasDisplay = Self.displaySocket.map { access($0, F_OK) == 0 } ?? false
            hasCompositor = Self.compositorSocket.map { access($0, F_OK) == 0 } ?? false
        }

        /// The socket of the compositor that WAYLAND_DISPLAY names; without it, the one that libwayland looks for.
        private static var compositorSocket: String? {
            var display = ProcessEnvironment.value("WAYLAND_DISPLAY") ?? ""
            if display.isEmpty { display = "wayland-0" }
            if display.hasPrefix("/") { return display }
            return ProcessEnvironment.value("XDG_RUNTIME_DIR").map { "\($0)/\(display)" }
        }

        /// The socket of the X server that DISPLAY names; nil if the server is on another machine.
        private static var displaySocket: String? {
            guard let display = ProcessEnvironment.value("DISPLAY"), display.hasPrefix(":") else { return nil }
            return "/tmp/.X11-unix/X" + display.dropFirst().prefix { $0.isNumber }
        }
    }
}
