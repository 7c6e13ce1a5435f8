// A service as text for a person, and as JSON.
import KineMedia
import KinePlatform
import KineServices
import KineText
import SystemPackage

enum ServiceText {
    /// For each service a line with its id, name and origin, and below it the options of `broadcast` that it accepts.
    static func list(_ services: [Service]) -> [String] {
        TextTable.lines(
            services.map { [$0.id, $0.manifest.name, $0.manifest.version ?? "", origin($0)] },
            below: services.map(rows), mark: "    ")
    }

    static func name(_ service: Service) -> String {
        service.id + (service.manifest.version.map { " \($0)" } ?? "")
    }

    /// A sentence: which bundle a new one replaces, and that it gets the settings and files kept for the id.
    static func replacement(of replaced: ServiceCatalog.Replaced, by service: Service, from path: String) -> String {
        let new = "\(service.manifest.name) (\(name(service))) from \(path.shellWord)"
        let kept = "and gets the settings and files kept for \(service.id)."
        switch replaced {
        case .service(let old):
            let place = old.installation?.source ?? old.bundle?.escaped ?? ""
            return "\(new) replaces \(old.manifest.name) (\(name(old))) from \(place.shellWord), \(kept)"
        case .damaged(let bundle): return "\(new) replaces the damaged bundle \(bundle.shellWord), \(kept)"
        case .leftovers:
            return "\(new) gets the settings and files that an earlier service \(service.id) has left; to delete them "
                + "instead, answer no and run kinecast services remove \(service.id)."
        }
    }

    /// The command that broadcasts to a service.
    static func use(_ service: Service) -> String {
        if let scheme = service.manifest.urlSchemes.first { return "kinecast broadcast --to \(scheme)://…" }
        return "kinecast broadcast --service \(service.id)"
    }

    /// The samples that a service receives, in a few words.
    static func wants(_ manifest: ServiceManifest) -> String {
        var parts: [String] = []
        switch manifest.video {
        case .encoded(let codecs, _, _)?: parts.append(codecs.map(\.rawValue).joined(separator: " or "))
        case .raw(let format, let size, let rate, let shape, let orientation)?:
            parts.append("raw \(format.rawValue)")
            if let size = shape?.size { parts.append("of \(size.width)x\(size.height)") }
            if shape?.crop ?? .fit != .fit { parts.append("cut") }
            if shape?.orientation ?? .up != .up { parts.append("turned") }
            if orientation == .source { parts.append("in the source's orientation") }
            if let size { parts.append("at most \(size.width)x\(size.height)") }
            if let rate { parts.append("at most \(rate) a second") }
        case nil: break
        }
        if let audio = manifest.appAudio { parts.append("audio as \(audio.rawValue)") }
        if let audio = manifest.micAudio { parts.append("microphone as \(audio.rawValue)") }
        return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
    }

    /// The end of a sentence about a service's right.
    static func words(_ right: ServiceRight) -> String {
        switch right {
        case .connect: return "connect to other machines, and to ports of this one"
        case .bindUDP: return "receive by UDP at ports of its choice"
        case .listen(let setting): return "serve at the address of the setting \(setting)"
        case .read(let path):
            let place = FilePath(escaped: path).resolved?.escaped ?? path
            // Quoted like words of a shell, because a path could contain words of this sentence.
            return "read and execute \(path.shellWord)" + (place == path ? "" : ", which leads to \(place.shellWord)")
        case .group(let group):
            return "share the group \(group): its files, values and frames, and texts of the clipboard"
        case .environment(let name): return "read your environment variable \(name)"
        }
    }

    private static func rows(_ service: Service) -> [[String]] {
        service.manifest.urlSchemes.map { ["--to \($0)://…", ""] }
            + service.manifest.setup.map { field in
                var remarks = [field.title]
                if let values = values(field) { remarks.append(values) }
                if field.isRequired { remarks.append("must be given") }
                if field.isSecret { remarks.append("secret: better as \(field.key)=@FILE") }
                if let value = field.defaultValue, !field.isSecret { remarks.append("\(value) if not given") }
                return ["--set \(field.key)=…", remarks.joined(separator: "; ")]
            } + service.manifest.rights.map { ["may", words($0)] }
    }

    /// The values that a setting accepts, in a few words; nil: any text.
    private static func values(_ field: ServiceManifest.SetupField) -> String? {
        switch field.kind {
        case .text(let rule): rule.pattern.map { "like \($0.text)" }
        case .choice(let choices): choices.map(\.value).joined(separator: " or ")
        case .number: "a number"
        }
    }

    private static func origin(_ service: Service) -> String {
        switch service.origin {
        case .builtIn: "built in"
        case .user, .system, .program: service.bundle?.escaped ?? ""
        }
    }
}

/// The keys of a service in JSON. Keys without a value are omitted.
struct ServiceLine: Encodable, Equatable {
    struct Field: Encodable, Equatable {
        var key: String
        var title: String
        var required: Bool
        var secret: Bool
        /// Whether forms show it among the settings that few people need.
        var advanced: Bool
        var `default`: String?
        /// `text`, `choice` or `number`.
        var type: String
        var hint: String?
        var choices: [String]?
        var minimum: Double?
        var maximum: Double?
        var pattern: String?
        var format: String?

        init(_ field: ServiceManifest.SetupField) {
            (key, title, required, secret) = (field.key, field.title, field.isRequired, field.isSecret)
            self.default = field.isSecret ? nil : field.defaultValue
            (advanced, hint) = (field.isAdvanced, field.hint)
            switch field.kind {
            case .text(let rule): (type, pattern, format) = ("text", rule.pattern?.text, rule.format?.rawValue)
            case .choice(let values): (type, choices) = ("choice", values.map(\.value))
            case .number(let rule): (type, minimum, maximum) = ("number", rule.minimum, rule.maximum)
            }
        }
    }

    /// The rights that the manifest requests for the service.
    struct Rights: Encodable, Equatable {
        /// `connect` or `none`.
        var network: String
        /// Whether it receives by UDP at ports that it chooses.
        var udp: Bool
        /// The setting with the address to serve at.
        var listen: String?
        var read: [String]
        var groups: [String]
        var environment: [String]
    }

    var id: String
    var name: String
    var version: String?
    /// `builtIn`, `user`, `system`, `program`.
    var origin: String
    var bundle: String?
    var executable: String
    var icon: String?
    var urlSchemes: [String]
    var setup: [Field]
    var rights: Rights
    /// The samples that it receives, in words.
    var wants: String
    /// In bytes.
    var memoryLimit: Int

    init(_ service: Service) {
        let manifest = service.manifest
        id = manifest.id
        name = manifest.name
        version = manifest.version
        origin = service.origin.rawValue
        bundle = service.bundle?.escaped
        executable = service.executable.escaped
        urlSchemes = manifest.urlSchemes
        setup = manifest.setup.map(Field.init)
        icon = service.icon?.escaped
        rights = Rights(
            network: manifest.network.rawValue, udp: manifest.bindsUDP, listen: manifest.listen,
            read: manifest.readable, groups: manifest.groups, environment: manifest.environment)
        wants = ServiceText.wants(manifest)
        memoryLimit = manifest.memoryLimit
    }
}
