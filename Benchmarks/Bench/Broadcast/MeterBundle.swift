// kinecast-meter as a service that an engine finds, in a data directory of its own.
import Glibc
import KineMeasure
import KineMedia
import SystemPackage

/// What the engine needs in its environment and in its configuration to run the meter.
struct MeterBundle {
    static let service = "org.kinecast.meter"
    private let folder: TemporaryDirectory
    private let group: String?

    /// The meter gets every frame of a take as it is.
    ///
    /// - Parameter group: the group that it passes its frames on to; nil: it keeps them for itself.
    init(group: String? = nil) throws {
        self.group = group
        folder = try TemporaryDirectory()
        var path = folder.path
        for name in ["kinecast", "services", "meter.kinext"] {
            path += "/" + name
            guard mkdir(path, 0o700) == 0 else {
                throw Tool.Error.system(doing: "Making \(path)", Errno(rawValue: errno))
            }
        }
        // The first form of manifests knows no groups, and the second is unknown to earlier builds that are compared.
        let form = group.map { "\"kinecast\": 2, \"groups\": [\"\($0)\"]" } ?? "\"kinecast\": 1"
        let manifest = """
            {\(form), "id": "\(MeterBundle.service)", "name": "Meter", "version": "1", "executable": "meter",
             "video": {"raw": {"pixelFormat": "i420"}},
             "setup": [{"key": "report", "title": "Report", "required": true}, {"key": "read", "title": "Read"},
                       {"key": "group", "title": "Group"}],
             "restarts": 0}
            """
        try Tool.write(manifest.utf8, to: path + "/manifest.json")
        let program = try Tool.contents(of: Tool.sibling(group == nil ? "kinecast-meter" : "kinecast-passmeter"))
        try Tool.write(program, to: path + "/meter", permissions: .ownerReadWriteExecute)
    }

    var environment: [String] { ["XDG_DATA_HOME=\(folder.path)"] }

    /// The service's own directory is the only one that it may write to.
    func reportPath(_ name: String) -> String { folder.file("kinecast/data/\(MeterBundle.service)/\(name)") }

    /// The meter as a destination; its account goes to `reportPath(report)`.
    func destination(report: String, readsAll: Bool) -> TakeConfiguration.Destination {
        var setup = ["report": reportPath(report), "read": readsAll ? "all" : "none"]
        setup["group"] = group
        return TakeConfiguration.Destination(service: MeterBundle.service, setupInfo: setup, label: "meter")
    }
}
