// A test's manifest as a file: the program only reads manifests, and people write them.
import KineServices

extension ServiceManifest {
    /// What its author would write, with the keys that tests change; the frames are encoded ones.
    var json: String {
        let fields = setup.map { field in
            """
            {"key": "\(field.key)", "title": "\(field.title)", "required": \(field.isRequired), "secret": \(field.isSecret)}
            """
        }
        return """
            {"kinecast": \(groups.isEmpty && !bindsUDP ? 1 : 2), "groups": \(groups), "id": "\(id)", "name": "\(name)",
             "executable": "\(executable)",
             "video": \(videoJSON),
             "audio": {"app": \(appAudio.map { "\"\($0.rawValue)\"" } ?? "null")},
             "setup": [\(fields.joined(separator: ", "))], "environment": \(environment), "read": \(readable),
             "network": "\(network)", "udp": \(bindsUDP), "listen": \(listen.map { "\"\($0)\"" } ?? "null"),
             "urlSchemes": \(urlSchemes), "memoryLimitMB": \(Double(memoryLimit) / 1_048_576),
             "finishSeconds": \(finishSeconds), "restarts": \(restarts)}
            """
    }

    private var videoJSON: String {
        if case .raw(let pixelFormat, _, _, _, _) = video {
            return "{\"raw\": {\"pixelFormat\": \"\(pixelFormat.rawValue)\"}}"
        }
        return "{\"encoded\": {\"codec\": \"h264\", \"keyframeInterval\": 2}}"
    }
}
