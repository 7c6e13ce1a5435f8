// kinecast-meter as a service that an engine finds, in a data directory of its own.
import Glibc
import KineControl
import KineMeasure
import KineMedia
import SystemPackage

/// What the engine needs in its environment and in its configuration to run the meter.
struct MeterBundle {
    static let service = "org.kinecast.meter"
    private let folder: TemporaryDirectory

    /// The meter gets every frame of a take as it is.
    init() throws {
        folder = try TemporaryDirectory()
        var path = folder.path
        for name in ["kinecast", "services", "meter.kinext"] {
            path += "/" + name
            guard mkdir(path, 0o700) == 0 else {
                throw Tool.Error.system(doing: "Making \(path)", Errno(rawValue: errno))
            }
        }
        let manifest = """
            {"kinecast": 1, "id": "\(MeterBundle.service)", "name": "Meter", "version": "1", "executable": "meter",
             "video": {"raw": {"pixelFormat": "i420"}},
             "setup": [{"key": "report", "title": "Report", "required": true}, {"key": "read", "title": "Read"}],
             "restarts": 0}
            """
        try Tool.write(manifest.utf8, to: path + "/manifest.json")
        let program = try Tool.contents(of: Tool.sibling("kinecast-meter"))
        try Tool.write(program, to: path + "/meter", permissions: .ownerReadWriteExecute)
    }

    var environment: [String] { ["XDG_DATA_HOME=\(folder.path)"] }

    /// The service's own directory is the only one that it may write to.
    func reportPath(_ name: String) -> String { folder.file("kinecast/data/\(MeterBundle.service)/\(name)") }

    /// The meter as a destination; its account goes to `reportPath(report)`.
    func destination(report: String, readsAll: Bool) -> TakeConfiguration.Destination {
        TakeConfiguration.Destination(
            service: MeterBundle.service,
            setupInfo: ["report": reportPath(report), "read": readsAll ? "all" : "none"], label: "meter")
    }
}
