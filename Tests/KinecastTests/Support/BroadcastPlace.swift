// An installation of a test's own: the engine, the built-in services and a bundle beside it, in a directory with a home of its own.
import CoreTesting
import FoundationEssentials
import Glibc
import KineClient
import KineMeasure
import KineMedia
import KinePlatform
import KineTakes
import KineWire
import SystemPackage
import Testing

@testable import Kinecast

final class BroadcastPlace: Sendable {
    let folder: TemporaryDirectory
    let locator: EngineLocator
    /// Of this test alone: others run at the same time.
    let app = AppIdentity(identifier: "org.example.Broadcast\(UInt32.random(in: 0...(.max)))", name: "Test app")

    init() throws {
        folder = try TemporaryDirectory()
        locator = EngineLocator(named: folder.file("kinecast-engine"))
        try copy("kinecast-publish", to: "kinecast-publish")
        // The engine looks for bundles beside its executable. An extension may write only in its home.
        try copy("kinecast-engine", to: "engine")
        try write(
            """
            #!/bin/sh
            export HOME='\(folder.path)' XDG_DATA_HOME='\(folder.file("data"))'
            mkdir -p "$XDG_DATA_HOME"
            exec '\(folder.file("engine"))' "$@"
            """, to: "kinecast-engine", isExecutable: true)
        try installWitness()
    }

    /// A broadcast outlives its app: a test that failed half-way leaves none behind.
    deinit {
        let takes = (try? TakeRegistry.standard())?.list().running ?? []
        for take in takes where take.app?.identifier == app.identifier { kill(take.pid, SIGTERM) }
    }

    /// Installs the witness as a service with fields of every type.
    private func installWitness() throws {
        guard mkdir(folder.file("witness.kinext"), 0o700) == 0 else { throw Errno(rawValue: errno) }
        try copy("kinecast-witness", to: "witness.kinext/witness")
        try write("<svg/>", to: "witness.kinext/eye.svg")
        try write(
            """
            {"kinecast": 2, "id": "witness", "name": "Witness", "icon": "eye.svg", "executable": "witness",
             "video": {"encoded": {}}, "audio": {"app": "aac"}, "restarts": 0, "setup": [
               {"key": "key", "title": "Key", "type": "secret", "required": true, "pattern": "w_*"},
               {"key": "quality", "title": "Quality", "type": "choice", "choices": ["low", "high"], "default": "low"},
               {"key": "count", "title": "Count", "type": "number", "minimum": 1, "maximum": 5, "whole": true},
               {"key": "link", "title": "Link"}, {"key": "fail", "title": "Why to fail"},
               {"key": "info", "title": "Room"}, {"key": "crash", "title": "How often to crash"}]}
            """, to: "witness.kinext/manifest.json")
    }

    /// Installs the witness as the service "guided", with a setup program that behaves like that.
    func installGuided(_ mode: String, network: String = "none") throws {
        guard mkdir(folder.file("guided.kinext"), 0o700) == 0 else { throw Errno(rawValue: errno) }
        try copy("kinecast-witness", to: "guided.kinext/witness")
        try copy("kinecast-setup-fixture", to: "guided.kinext/setup")
        try write(mode, to: "guided.kinext/mode")
        try write(
            """
            {"kinecast": 2, "id": "guided", "name": "Guided", "executable": "witness", "setupProgram": "setup",
             "video": {"encoded": {}}, "network": "\(network)", "setup": [
               {"key": "key", "title": "Key", "type": "secret", "required": true, "pattern": "w_*"},
               {"key": "count", "title": "Count"}, {"key": "link", "title": "Link"},
               {"key": "cert", "title": "Certificate", "file": true}]}
            """, to: "guided.kinext/manifest.json")
    }

    /// The environment of an app whose home is here.
    var environment: [String] {
        ProcessEnvironment.current.filter { !$0.hasPrefix("HOME=") && !$0.hasPrefix("XDG_DATA_HOME=") }
            + ["HOME=\(folder.path)"]
    }

    /// Hard links are made at once; they are not possible from one file system to another.
    private func copy(_ program: String, to name: String) throws {
        let executable = try Tool.sibling(program)
        if link(executable, folder.file(name)) != 0 { _ = try Tool.output("cp", [executable, folder.file(name)]) }
    }

    func write(_ text: String, to name: String, isExecutable: Bool = false) throws {
        try folder.write(
            text.utf8, to: name, permissions: isExecutable ? .ownerReadWriteExecute : .ownerReadWrite)
    }

    func service(_ identifier: String) async throws -> BroadcastService {
        try await BroadcastServices(locator: locator).service(identifier)
    }

    /// A controller for the witness, of a small private screen.
    func controller(
        _ values: [String: String] = [:], service identifier: String = "witness",
        presenter: (any BroadcastPresenter)? = nil, second: @escaping @Sendable () async throws -> Void = {}
    ) async throws -> BroadcastController {
        let base = identifier == "witness" ? ["key": "w_1234567"] : [:]
        let setup = try BroadcastSetup(
            try await service(identifier), values: base.merging(values) { $1 })
        let controller = BroadcastController(
            setup, app: app, presenter: presenter, locator: locator, second: second)
        controller.scope = .virtual(PixelSize(width: 320, height: 240))
        return controller
    }

    /// The takes of this test's app.
    func takes() async throws -> [TakeRecord] {
        try await KnownTakes.list().running.filter { $0.app?.identifier == app.identifier }
    }

    /// An engine leaves the registry a moment after its last message.
    func waitForNoTake() async throws { try await wait(for: "the take's end") { try await takes().isEmpty } }
}

extension AsyncSequence where Self: Sendable, Failure == Never {
    /// The first value that `match` accepts.
    func first<Found: Sendable>(_ match: (Element) -> Found?) async -> Found? {
        for await element in self { if let found = match(element) { return found } }
        return nil
    }
}
