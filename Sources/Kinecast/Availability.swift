// Whether a recorder could record now, and when that changes.
import Glibc
import KineClient
import KineControl
import KinePlatform
import SystemPackage

/// What recording needs of the machine.
enum Availability {
    /// Asks an engine what there is. Takes about 30 ms of a processor.
    static func check(_ scope: CaptureScope, _ locator: EngineLocator) async -> Bool {
        let server: String? =
            switch scope {
            case .virtual: "Xvfb"
            case .virtualWayland: "sway"
            default: nil
            }
        if let server { return (try? locator.locate()) != nil && ExecutableSearch.find(server) != nil }
        guard let sources = try? await EngineReport.sources(locator) else { return false }
        switch scope {
        case .ownWindow: return sources.windows.contains { $0.processID == getpid() }
        case .window(let id): return sources.windows.contains { $0.id == id }
        // The desktop alone knows its windows, and shows them when it is asked.
        case .chosenWindow:
            return ProcessEnvironment.value("WAYLAND_DISPLAY") != nil
                || ProcessEnvironment.value("XDG_SESSION_TYPE") == "wayland"
        case .focusedWindow: return !sources.windows.isEmpty
        case .windowTitled(let title):
            return sources.windows.contains { $0.title.lowercased().contains(title.lowercased()) }
        case .application(let name, _):
            return sources.windows.contains { $0.application.lowercased() == name.lowercased() }
        case .screen(let name?): return sources.monitors.contains { $0.name == name }
        case .screen(nil), .region, .drawnRegion, .virtual, .virtualWayland: return !sources.monitors.isEmpty
        }
    }

    /// Signs that the answer may be another one: cheap enough to be looked at every few seconds.
    struct Signs: Equatable {
        private let scope: CaptureScope
        private let engine: FilePath?
        private let hasDisplay: Bool

        init(_ scope: CaptureScope, _ locator: EngineLocator) {
            self.scope = scope
            engine = try? locator.locate()
            hasDisplay = Self.displaySocket.map { access($0, F_OK) == 0 } ?? false
        }

        /// The socket of the X server that DISPLAY names, where it is one of this machine.
        private static var displaySocket: String? {
            guard let display = ProcessEnvironment.value("DISPLAY"), display.hasPrefix(":") else { return nil }
            return "/tmp/.X11-unix/X" + display.dropFirst().prefix { $0.isNumber }
        }
    }
}
