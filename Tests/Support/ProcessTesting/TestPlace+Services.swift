// Services of a test's own: executables that were built beside the tests, installed for the user of a test's place.
import FoundationEssentials
import Glibc
import KineMeasure
import KineMedia
import KineServices
import Testing

extension TestPlace {
    /// Installs the faulty extension as the service "faults", with this in its manifest besides what every bundle has.
    package func installFaults(_ change: (inout ServiceManifest) -> Void = { _ in }) throws {
        var manifest = ServiceManifest(id: "faults", name: "Faults", executable: "kinecast-faults")
        manifest.video = .encoded(codecs: [.h264], keyframeInterval: 2)
        manifest.setup = ["fault", "rate", "token"].map { .init(key: $0, title: $0) }
        manifest.restarts = 0
        // What its faults are made of: shells, and memory for a child.
        manifest.readable = ["/bin", "/usr/bin", "/dev/zero"]
        change(&manifest)
        try install(manifest)
    }

    /// Installs an executable that was built beside the tests as a service of the user's.
    package func install(_ manifest: ServiceManifest) throws {
        let bundle = ".local/share/kinecast/services/\(manifest.id).kinext"
        _ = try Tool.output("mkdir", ["-p", path(bundle)])
        try write(manifest.json, to: bundle + "/manifest.json")
        let executable = RunningKinecast.sibling(manifest.executable)
        // A link is made at once; it is not possible from one file system to another.
        let copy = path("\(bundle)/\(manifest.executable)")
        if link(executable, copy) != 0 { _ = try Tool.output("cp", [executable, copy]) }
    }

    /// Installs the witness here as a service that takes `witness://` addresses.
    package func installWitness(_ change: (inout ServiceManifest) -> Void = { _ in }) throws {
        var manifest = ServiceManifest(id: "org.example.witness", name: "Witness", executable: "witness")
        manifest.video = .encoded(codecs: [.h264], keyframeInterval: 2)
        manifest.appAudio = .aac
        manifest.urlSchemes = ["witness"]
        manifest.setup = [
            .init(key: "link", title: "Link to announce"), .init(key: "fail", title: "Why to fail"),
            .init(key: "token", title: "Token", isSecret: true),
        ]
        change(&manifest)
        try makeDirectory("witness.kinext")
        try write(manifest.json, to: "witness.kinext/manifest.json")
        let executable = RunningKinecast.sibling("kinecast-witness")
        _ = try Tool.output("cp", [executable, path("witness.kinext/witness")])
        let installed = try run("services", "install", "witness.kinext")
        #expect(installed.status == 0, "\(installed)")
    }

    /// A take of a small pattern, recorded to a.mp4, with the faulty extension beside it.
    package func faultyTake(_ fault: String, _ setup: [String: String] = [:], records: Bool = true) -> TakeConfiguration
    {
        var configuration = TakeConfiguration(
            source: .pattern(PixelSize(width: 320, height: 240)), output: records ? path("a.mp4") : nil)
        configuration.audio.app = .none
        configuration.wantsProgress = true
        // A busy machine may hold up a good extension for long; tests of an impatient engine say how impatient.
        configuration.supervision.start = 120
        configuration.supervision.held = 120
        var info = setup
        info["fault"] = fault
        info["token"] = directory.string
        configuration.destinations = [.init(service: "faults", setupInfo: info, label: "faults")]
        return configuration
    }
}
