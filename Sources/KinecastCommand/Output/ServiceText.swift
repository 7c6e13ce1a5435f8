// A service as a person reads it, and as `--json` prints it.
import KineMedia
import KineServices

enum ServiceText {
    /// For each service a line with its id, name and origin, and beneath it the options of `broadcast` that it takes.
    static func list(_ services: [Service]) -> [String] {
        TextTable.lines(
            services.map { [$0.id, $0.manifest.name, $0.manifest.version ?? "", origin($0)] },
            below: services.map(rows), mark: "    ")
    }

    static func name(_ service: Service) -> String {
        service.id + (service.manifest.version.map { " \($0)" } ?? "")
    }

    /// The command that broadcasts to a service.
    static func use(_ service: Service) -> String {
        if let scheme = service.manifest.urlSchemes.first { return "kinecast broadcast --to \(scheme)://…" }
        return "kinecast broadcast --service \(service.id)"
    }

    /// The samples that a service is given, in a few words.
    static func wants(_ manifest: ServiceManifest) -> String {
        var parts: [String] = []
        switch manifest.video {
        case .encoded(let codec, _, _)?: parts.append(codec)
        case .raw(let format, let size, let rate)?:
            parts.append("raw \(format.rawValue)")
            if let size { parts.append("at most \(size.width)x\(size.height)") }
            if let rate { parts.append("at most \(rate) a second") }
        case nil: break
        }
        if let audio = manifest.appAudio { parts.append("audio as \(audio.rawValue)") }
        if let audio = manifest.micAudio { parts.append("microphone as \(audio.rawValue)") }
        return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
    }

    private static func rows(_ service: Service) -> [[String]] {
        service.manifest.urlSchemes.map { ["--to \($0)://…", ""] }
            + service.manifest.setup.map { field in
                var remarks = [field.title]
                if field.isRequired { remarks.append("must be given") }
                if field.isSecret { remarks.append("secret: better as \(field.key)=@FILE") }
                if let value = field.defaultValue, !field.isSecret { remarks.append("\(value) if not given") }
                return ["--set \(field.key)=…", remarks.joined(separator: "; ")]
            }
    }

    private static func origin(_ service: Service) -> String {
        switch service.origin {
        case .builtIn: "built in"
        case .user, .system, .program: service.bundle?.string ?? ""
        }
    }
}

/// The keys of a service in JSON. Those without a value are left out.
struct ServiceLine: Encodable, Equatable {
    struct Field: Encodable, Equatable {
        var key: String
        var title: String
        var required: Bool
        var secret: Bool
        var `default`: String?
    }

    var id: String
    var name: String
    var version: String?
    /// `builtIn`, `user`, `system`, `program`.
    var origin: String
    var bundle: String?
    var executable: String
    var urlSchemes: [String]
    var setup: [Field]
    /// The samples that it is given, in words.
    var wants: String
    /// Bytes.
    var memoryLimit: Int

    init(_ service: Service) {
        let manifest = service.manifest
        id = manifest.id
        name = manifest.name
        version = manifest.version
        origin = service.origin.rawValue
        bundle = service.bundle?.string
        executable = service.executable.string
        urlSchemes = manifest.urlSchemes
        setup = manifest.setup.map {
            Field(
                key: $0.key, title: $0.title, required: $0.isRequired, secret: $0.isSecret,
                default: $0.isSecret ? nil : $0.defaultValue)
        }
        wants = ServiceText.wants(manifest)
        memoryLimit = manifest.memoryLimit
    }
}
