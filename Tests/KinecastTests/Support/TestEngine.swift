// The engine for an app under test: without this machine's desktop, and with permissions of the test's own.
import KineClient
import KineMeasure
import KinePlatform
import KineText
import KineWire
import SystemPackage

/// A place for an engine. Keep it as long as takes begin.
struct TestEngine {
    let locator: EngineLocator
    let store: PermissionStore
    private let folder: TemporaryDirectory

    /// - Parameters:
    ///   - granted: what the app of this identifier may capture without being asked.
    ///   - environment: `NAME=value`, for the engine beside this process's own.
    init(granting granted: Set<PermissionKind> = [], to identifier: String, environment: [String] = []) throws {
        folder = try TemporaryDirectory()
        let variables =
            [
                "XDG_CONFIG_HOME=\(folder.path)", "DBUS_SESSION_BUS_ADDRESS=unix:path=\(folder.file("none"))",
                "DBUS_SYSTEM_BUS_ADDRESS=unix:path=\(folder.file("none"))",
            ] + environment
        let command = ["exec", "env"] + variables + [try Tool.sibling("kinecast-engine")]
        let script = "#!/bin/sh\n\(command.map(\.shellWord).joined(separator: " ")) \"$@\"\n"
        locator = EngineLocator(
            named: try folder.write(script.utf8, to: "engine", permissions: .ownerReadWriteExecute))
        store = PermissionStore(file: FilePath(folder.file("kinecast/permissions.json")))
        guard !granted.isEmpty, let own = ExecutableSearch.own else { return }
        try store.decide(
            .granted, granted, for: PermissionSubject(identifier: identifier, executable: own), name: nil)
    }
}
