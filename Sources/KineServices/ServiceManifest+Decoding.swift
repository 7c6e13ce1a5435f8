// Reading and writing `manifest.json`. What is absent has a default; what is there and wrong is refused with a sentence that
// names the key and what is allowed, for the file is written by hand.
import FoundationEssentials
import KineMedia
import KinePlatform

extension ServiceManifest {
    /// What is wrong with a manifest.
    public struct Problem: Swift.Error, Equatable, Sendable, CustomStringConvertible {
        /// The place: "video.raw.pixelFormat"; empty: the whole file.
        public var key: String
        public var reason: String

        public init(key: String, reason: String) {
            self.key = key
            self.reason = reason
        }

        public var description: String { key.isEmpty ? reason : "\(key) \(reason)" }
    }

    /// The longest file that is read as a manifest, in bytes.
    public static let fileLimit = 65536
    /// The version of the manifest's form that this program knows.
    static let formVersion = 1
    /// Seconds that any extension may ask for to finish.
    static let longestFinish = 300.0

    /// Reads a manifest from the bytes of its file.
    public static func decode(_ bytes: [UInt8]) throws(Problem) -> ServiceManifest {
        guard bytes.count <= fileLimit else {
            throw Problem(key: "", reason: "it has \(bytes.count) bytes and may have \(fileLimit)")
        }
        let value: JSONValue
        do {
            value = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
        } catch {
            throw Problem(key: "", reason: "it is not JSON (\(jsonReason(error)))")
        }
        return try ServiceManifest(value)
    }

    /// The bytes of a file that `decode` reads.
    public func encoded() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(json)) + [UInt8(ascii: "\n")]
    }

    public init(from decoder: any Decoder) throws {
        let value = try JSONValue(from: decoder)
        do {
            try self.init(value)
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: error.description))
        }
    }

    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    init(_ value: JSONValue) throws(Problem) {
        let top = try ManifestReader(
            value,
            allowed: [
                "kinecast", "id", "name", "version", "executable", "video", "audio", "setup", "environment",
                "urlSchemes", "memoryLimitMB", "finishSeconds", "restarts", "read", "network", "listen",
            ])
        if let version = top.value("kinecast"), version != .number(Double(Self.formVersion)) {
            throw top.problem(
                "kinecast",
                "is \(version.shortDescription) and this Kinecast reads \(Self.formVersion); "
                    + "use a newer Kinecast or a manifest for this one")
        }
        guard let id = try top.text("id", limit: 100) else { throw top.problem("id", "is missing") }
        guard Self.isID(id) else {
            throw top.problem("id", "has to begin with a letter or a digit and consist of letters, digits, ., - and _")
        }
        guard let executable = try top.text("executable", limit: 255) else {
            throw top.problem("executable", "is missing")
        }
        guard !executable.isEmpty, !executable.contains("/"), !executable.hasPrefix(".") else {
            throw top.problem("executable", "has to be the name of a file inside the bundle")
        }
        self.init(id: id, name: try top.text("name") ?? id, executable: executable)
        version = try top.text("version", limit: 40)
        video = try Self.video(in: top)
        if let value = top.value("audio") {
            let audio = try ManifestReader(value, path: "audio", allowed: ["app", "mic"])
            appAudio = try audio.choice("app")
            micAudio = try audio.choice("mic")
        }
        setup = try Self.setup(in: top)
        environment = try top.words("environment", "the name of a variable that an extension may have") {
            Self.isVariable($0) && !ServiceManifest.isWithheld($0)
        }
        readable = try top.words("read", "an absolute path without ..", where: Self.isAbsolutePath)
        network = try top.choice("network") ?? network
        listen = try top.text("listen", limit: 100)
        if let listen, !setup.contains(where: { $0.key == listen }) {
            throw top.problem("listen", "has to be the key of a setting, and \"\(listen)\" is none")
        }
        urlSchemes = try top.words("urlSchemes", "a scheme in small letters, such as \"rtmp\"", where: Self.isScheme)
        if let megabytes = try top.number("memoryLimitMB", 1...Double(Self.memoryLimit >> 20)) {
            memoryLimit = Int(megabytes * 1_048_576)
        }
        finishSeconds = try top.number("finishSeconds", 0.1...Self.longestFinish) ?? finishSeconds
        restarts = try top.whole("restarts", 0...10) ?? restarts
    }

    private static func video(in top: ManifestReader) throws(Problem) -> Video? {
        guard let value = top.value("video") else { return nil }
        let video = try ManifestReader(value, path: "video", allowed: ["raw", "encoded"])
        switch (video.value("raw"), video.value("encoded")) {
        case (let value?, nil):
            let raw = try ManifestReader(
                value, path: "video.raw", allowed: ["pixelFormat", "maximumSize", "framesPerSecond"])
            var size: PixelSize?
            if let value = raw.value("maximumSize") {
                let sides = try ManifestReader(value, path: "video.raw.maximumSize", allowed: ["width", "height"])
                guard let width = try sides.whole("width", 16...16384),
                    let height = try sides.whole("height", 16...16384)
                else { throw raw.problem("maximumSize", "needs both width and height") }
                size = PixelSize(width: width, height: height)
            }
            return .raw(
                pixelFormat: try raw.choice("pixelFormat") ?? .i420, maximumSize: size,
                framesPerSecond: try raw.whole("framesPerSecond", 1...240))
        case (nil, let value?):
            let encoded = try ManifestReader(
                value, path: "video.encoded",
                allowed: ["codec", "keyframeInterval", "maximumBitrate", "maximumAccessUnit", "stillFramesPerSecond"])
            let codec: VideoCodec = try encoded.choice("codec") ?? .h264
            if encoded.value("maximumAccessUnit") != nil, encoded.value("maximumBitrate") == nil {
                throw encoded.problem("maximumAccessUnit", "needs maximumBitrate beside it")
            }
            return .encoded(
                codec: codec.rawValue, keyframeInterval: try encoded.number("keyframeInterval", 0.1...60),
                expecting: Expectations(
                    maximumBitrate: try encoded.whole("maximumBitrate", 100_000...1_000_000_000),
                    maximumAccessUnit: try encoded.whole("maximumAccessUnit", 65536...1 << 30),
                    stillFramesPerSecond: try encoded.whole("stillFramesPerSecond", 1...30)))
        default:
            throw top.problem("video", "has to hold either raw or encoded")
        }
    }

    private enum VideoCodec: String, CaseIterable { case h264 }

    private static func setup(in top: ManifestReader) throws(Problem) -> [SetupField] {
        var fields: [SetupField] = []
        for (index, value) in try top.list("setup").enumerated() {
            let place = "setup[\(index)]"
            let reader = try ManifestReader(
                value, path: place, allowed: ["key", "title", "required", "secret", "file", "default"])
            guard let key = try reader.text("key", limit: 100), isID(key) else {
                throw reader.problem("key", "has to be given, of letters, digits, ., - and _")
            }
            guard !fields.contains(where: { $0.key == key }) else {
                throw reader.problem("key", "is \"\(key)\" a second time")
            }
            fields.append(
                SetupField(
                    key: key, title: try reader.text("title") ?? key, isRequired: try reader.flag("required") ?? false,
                    isSecret: try reader.flag("secret") ?? false, isFile: try reader.flag("file") ?? false,
                    defaultValue: try reader.text("default", limit: 1000)))
        }
        return fields
    }

    private static func jsonReason(_ error: any Swift.Error) -> String {
        guard case DecodingError.dataCorrupted(let context) = error else { return "its values are of no kind known" }
        return context.debugDescription.printable(limit: 120).trimmingFullStop
    }
}

extension ServiceManifest {
    /// Letters, digits, `.`, `-` and `_` of ASCII, a letter or a digit first.
    static func isID(_ text: String) -> Bool {
        guard let first = text.utf8.first, isLetterOrDigit(first) else { return false }
        return text.utf8.allSatisfy { isLetterOrDigit($0) || [0x2d, 0x2e, 0x5f].contains($0) }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x61...0x7a).contains(byte | 0x20) || (0x30...0x39).contains(byte)
    }

    private static func isVariable(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return name.utf8.allSatisfy { isLetterOrDigit($0) || $0 == 0x5f }
    }

    private static func isAbsolutePath(_ path: String) -> Bool {
        path.hasPrefix("/") && path.utf8.count <= 1000 && path.printable(limit: 1000) == path
            && !path.split(separator: "/").contains("..")
    }

    /// RFC 3986, 3.1.
    private static func isScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, (0x61...0x7a).contains(first) else { return false }
        return text.utf8.allSatisfy {
            (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || [0x2b, 0x2d, 0x2e].contains($0)
        }
    }

    /// Whether a variable leads to the display, the sound or the session, or makes the loader run something else: no extension
    /// gets it, whatever its manifest asks for.
    public static func isWithheld(_ variable: String) -> Bool {
        ["DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR"].contains(variable)
            || ["WAYLAND", "PULSE_", "PIPEWIRE", "DBUS_", "LD_", "KINECAST_"].contains(where: variable.hasPrefix)
    }
}

extension ServiceManifest {
    /// As it is written by hand, defaults left out.
    var json: JSONValue {
        var top: [String: JSONValue] = [
            "kinecast": .number(Double(Self.formVersion)), "id": .string(id), "name": .string(name),
            "executable": .string(executable),
        ]
        top["version"] = version.map(JSONValue.string)
        switch video {
        case nil: break
        case .raw(let pixelFormat, let size, let rate):
            var raw: [String: JSONValue] = ["pixelFormat": .string(pixelFormat.rawValue)]
            raw["maximumSize"] = size.map {
                .object(["width": .number(Double($0.width)), "height": .number(Double($0.height))])
            }
            raw["framesPerSecond"] = rate.map { .number(Double($0)) }
            top["video"] = .object(["raw": .object(raw)])
        case .encoded(let codec, let interval, let expectations):
            var encoded: [String: JSONValue] = ["codec": .string(codec)]
            encoded["keyframeInterval"] = interval.map(JSONValue.number)
            encoded["maximumBitrate"] = expectations.maximumBitrate.map { .number(Double($0)) }
            encoded["maximumAccessUnit"] = expectations.maximumAccessUnit.map { .number(Double($0)) }
            encoded["stillFramesPerSecond"] = expectations.stillFramesPerSecond.map { .number(Double($0)) }
            top["video"] = .object(["encoded": .object(encoded)])
        }
        var audio: [String: JSONValue] = [:]
        audio["app"] = appAudio.map { .string($0.rawValue) }
        audio["mic"] = micAudio.map { .string($0.rawValue) }
        if !audio.isEmpty { top["audio"] = .object(audio) }
        if !setup.isEmpty { top["setup"] = .array(setup.map(\.json)) }
        if !environment.isEmpty { top["environment"] = .array(environment.map(JSONValue.string)) }
        if !readable.isEmpty { top["read"] = .array(readable.map(JSONValue.string)) }
        if network != .connect { top["network"] = .string(network.rawValue) }
        top["listen"] = listen.map(JSONValue.string)
        if !urlSchemes.isEmpty { top["urlSchemes"] = .array(urlSchemes.map(JSONValue.string)) }
        if memoryLimit != Self.memoryLimit { top["memoryLimitMB"] = .number(Double(memoryLimit) / 1_048_576) }
        if finishSeconds != 5 { top["finishSeconds"] = .number(finishSeconds) }
        if restarts != 1 { top["restarts"] = .number(Double(restarts)) }
        return .object(top)
    }
}

extension ServiceManifest.SetupField {
    fileprivate var json: JSONValue {
        var field: [String: JSONValue] = ["key": .string(key), "title": .string(title)]
        if isRequired { field["required"] = .boolean(true) }
        if isSecret { field["secret"] = .boolean(true) }
        if isFile { field["file"] = .boolean(true) }
        field["default"] = defaultValue.map(JSONValue.string)
        return .object(field)
    }
}

extension String {
    /// For use inside a sentence.
    var trimmingFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
