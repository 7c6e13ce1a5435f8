// `manifest.json`: its keys, their values, and the defaults for absent ones.
import FoundationEssentials
import KineMedia
import KineText

extension ServiceManifest: Decodable {
    /// The largest manifest, in bytes.
    public static let fileLimit = 65536
    /// The newest version of the manifest's format that this program supports. It reads all older ones.
    private static let formVersion = 2
    /// The most seconds that an extension may request to finish.
    private static let longestFinish = 300.0
    private static let mostGroups = 8

    /// Reads a manifest from the bytes of its file. Also returns the places of unknown keys, which are ignored.
    public static func read(_ bytes: [UInt8]) throws(Problem) -> (manifest: ServiceManifest, unknownKeys: [String]) {
        let unknown = UnknownKeys()
        let decoder = JSONDecoder()
        if let key = UnknownKeys.info { decoder.userInfo[key] = unknown }
        return (try decode(ServiceManifest.self, from: bytes, by: decoder), unknown.places)
    }

    /// Decodes the JSON of a manifest, of a service or an app.
    static func decode<Manifest: Decodable>(
        _ type: Manifest.Type, from bytes: [UInt8], by decoder: JSONDecoder = JSONDecoder()
    ) throws(Problem) -> Manifest {
        guard bytes.count <= fileLimit else {
            throw Problem([], "has \(bytes.count) bytes and may have \(fileLimit)")
        }
        do {
            return try decoder.decode(type, from: Data(bytes))
        } catch let error as DecodingError {
            throw Problem(error)
        } catch {
            throw error as? Problem ?? Problem([], "is not JSON")
        }
    }

    enum CodingKeys: CodingKey {
        case kinecast, id, name, version, icon, executable, setupProgram, groups, video, audio, setup, environment,
            read,
            network, udp, listen
        case urlSchemes, check, memoryLimitMB, finishSeconds, restarts
    }

    private enum AudioKeys: CodingKey { case app, mic }

    public init(from decoder: any Decoder) throws {
        let file = try decoder.object(CodingKeys.self)
        // Checked first, because in another version the other keys may have other meanings.
        let form = try file.whole(.kinecast, 0...Int(Int32.max)) ?? 1
        guard (1...Self.formVersion).contains(form) else {
            throw file.problem(
                .kinecast,
                "is \(form) and this Kinecast reads 1 to \(Self.formVersion); use a newer Kinecast or a manifest for this one"
            )
        }
        let id = try file.decode(String.self, forKey: .id)
        guard id.isServiceID else { throw file.problem(.id, String.serviceIDRule) }
        let executable = try file.decode(String.self, forKey: .executable)
        guard executable.isNameInBundle else { throw file.problem(.executable, String.nameInBundleRule) }
        self.init(id: id, name: try file.line(.name) ?? id, executable: executable)
        version = try file.line(.version, limit: 40)
        video = try file.decodeIfPresent(SampleRequirements.Video.self, forKey: .video)
        let audio = try file.object(.audio, AudioKeys.self)
        appAudio = try audio?.choice(.app)
        micAudio = try audio?.choice(.mic)
        setup = try file.members(.setup) { try SetupField(from: $0, form: form) }
        if form >= 2 {
            try readForm2(file)
        } else {
            decoder.noteUnknown([CodingKeys.icon, .setupProgram, .groups, .udp, .check], in: file)
        }
        for (index, field) in setup.enumerated() where setup[..<index].contains(where: { $0.key == field.key }) {
            throw file.problem(.setup, "has the key \(field.key.quoted) a second time")
        }
        environment = try file.words(.environment, "the name of a variable that an extension may have") {
            $0.isVariableName && !Self.isWithheld($0)
        }
        readable = try file.words(.read, "an absolute path without ..", where: \.isAbsolutePath)
        network = try file.choice(.network) ?? network
        if bindsUDP, network != .connect { throw file.problem(.udp, "needs \"network\": \"connect\" beside it") }
        listen = try file.line(.listen, limit: 100)
        if let listen { try checkListening(at: listen, file) }
        urlSchemes = try file.words(.urlSchemes, "a scheme in small letters, such as \"rtmp\"", where: \.isURLScheme)
        if hasCheck, urlSchemes.isEmpty || network != .connect {
            throw file.problem(.check, "needs urlSchemes and \"network\": \"connect\" beside it")
        }
        if let megabytes = try file.number(.memoryLimitMB, 1...Double(Self.memoryLimit >> 20)) {
            memoryLimit = Int(megabytes * 1_048_576)
        }
        finishSeconds = try file.number(.finishSeconds, 0.1...Self.longestFinish) ?? finishSeconds
        restarts = try file.whole(.restarts, 0...10) ?? restarts
    }

    /// Only a person may open this machine to others.
    private func checkListening(at key: String, _ file: KeyedDecodingContainer<CodingKeys>) throws {
        guard let field = setup.first(where: { $0.key == key }) else {
            throw file.problem(.listen, "has to be the key of a setting, and \(key.quoted) is none")
        }
        guard let text = field.defaultValue else { return }
        guard let address = ListenAddress(text), address.isLoopback, !address.isName else {
            throw file.problem(
                .listen,
                "names the setting \(key.quoted), whose default is no address of this machine alone, such as 8080")
        }
    }

    private mutating func readForm2(_ file: KeyedDecodingContainer<CodingKeys>) throws {
        icon = try file.line(.icon, limit: 255)
        if let icon {
            guard icon.isNameInBundle, icon.hasSuffix(".png") || icon.hasSuffix(".svg") else {
                throw file.problem(.icon, "has to be the name of a PNG or SVG file inside the bundle")
            }
        }
        setupProgram = try file.line(.setupProgram, limit: 255)
        if let setupProgram, !setupProgram.isNameInBundle {
            throw file.problem(.setupProgram, String.nameInBundleRule)
        }
        bindsUDP = try file.decodeIfPresent(Bool.self, forKey: .udp) ?? false
        hasCheck = try file.decodeIfPresent(Bool.self, forKey: .check) ?? false
        groups = try file.words(.groups, String.groupRule, where: \.isServiceID)
        guard groups.count <= Self.mostGroups else {
            throw file.problem(.groups, "holds \(groups.count) groups and may hold \(Self.mostGroups)")
        }
    }
}

extension SampleRequirements.Video: Decodable {
    private enum CodingKeys: CodingKey { case raw, encoded }
    private enum RawKeys: CodingKey { case pixelFormat, maximumSize, framesPerSecond, size, crop, orientation }
    private enum SizeKeys: CodingKey { case width, height }
    private enum PartKeys: CodingKey { case x, y, width, height }
    private enum Crop: String, CaseIterable { case fit, fill }
    private enum EncodedKeys: CodingKey {
        case codec, codecs, formatChanges, keyframeInterval, maximumBitrate, maximumAccessUnit, stillFramesPerSecond
    }
    /// The values of `codec`, which earlier versions read.
    private enum Codec: String, CaseIterable { case h264 }

    public init(from decoder: any Decoder) throws {
        let video = try decoder.object(CodingKeys.self)
        switch (try video.object(.raw, RawKeys.self), try video.object(.encoded, EncodedKeys.self)) {
        case (let raw?, nil):
            self = .raw(
                pixelFormat: try raw.choice(.pixelFormat) ?? .i420,
                maximumSize: try Self.size(.maximumSize, 16...16384, of: raw),
                framesPerSecond: try raw.whole(.framesPerSecond, 1...240), shape: try Self.shape(of: raw),
                orientation: raw.hasText(.orientation) ? try raw.choice(.orientation) ?? .upright : .upright)
        case (nil, let encoded?):
            let expectations = SampleRequirements.Expectations(
                maximumBitrate: try encoded.whole(.maximumBitrate, 100_000...1_000_000_000),
                maximumAccessUnit: try encoded.whole(.maximumAccessUnit, 65536...1 << 30),
                stillFramesPerSecond: try encoded.whole(.stillFramesPerSecond, 1...30),
                followsFormat: try encoded.decodeIfPresent(Bool.self, forKey: .formatChanges) ?? false)
            if expectations.maximumAccessUnit != nil, expectations.maximumBitrate == nil {
                throw encoded.problem(.maximumAccessUnit, "needs maximumBitrate beside it")
            }
            self = .encoded(
                codecs: try Self.codecs(of: encoded), keyframeInterval: try encoded.number(.keyframeInterval, 0.1...60),
                expecting: expectations)
        default: throw ServiceManifest.Problem(decoder.codingPath, "has to hold either raw or encoded")
        }
    }

    /// The codecs that a service accepts, in the order of its preference.
    private static func codecs(of encoded: KeyedDecodingContainer<EncodedKeys>) throws -> [VideoCodec] {
        let codec: Codec? = try encoded.choice(.codec)
        guard encoded.contains(.codecs) else { return [.h264] }
        guard codec == nil else { throw encoded.problem(.codecs, "cannot be beside codec") }
        let names = VideoCodec.allCases.map(\.rawValue.quoted).joined(separator: ", ")
        let words = try encoded.words(.codecs, "one of \(names)") { VideoCodec(rawValue: $0) != nil }
        guard !words.isEmpty else { throw encoded.problem(.codecs, "has to hold at least one of \(names)") }
        return words.compactMap { VideoCodec(rawValue: $0) }
    }

    private static func size(
        _ key: RawKeys, _ sides: ClosedRange<Int>, of raw: KeyedDecodingContainer<RawKeys>
    ) throws -> PixelSize? {
        guard let size = try raw.object(key, SizeKeys.self) else { return nil }
        guard let width = try size.whole(.width, sides), let height = try size.whole(.height, sides) else {
            throw raw.problem(key, "needs both width and height")
        }
        return PixelSize(width: width, height: height)
    }

    private static func shape(of raw: KeyedDecodingContainer<RawKeys>) throws -> FrameShape? {
        var shape = FrameShape()
        if let size = try size(.size, 16...8192, of: raw) {
            guard size == size.roundedUpToEven else { throw raw.problem(.size, "needs an even width and height") }
            guard !raw.contains(.maximumSize) else { throw raw.problem(.size, "cannot be beside maximumSize") }
            shape.size = size
        }
        shape.crop = try crop(of: raw) ?? .fit
        if shape.crop == .fill, shape.size == nil { throw raw.problem(.crop, "is \"fill\" and needs size beside it") }
        if !raw.hasText(.orientation) {
            let orientations = Orientation.up.rawValue...Orientation.left.rawValue
            shape.orientation = try raw.whole(.orientation, orientations).flatMap(Orientation.init) ?? .up
        }
        return shape == FrameShape() ? nil : shape
    }

    private static func crop(of raw: KeyedDecodingContainer<RawKeys>) throws -> PictureGeometry.Crop? {
        if raw.hasText(.crop) {
            let crop: Crop? = try raw.choice(.crop)
            return crop == .fill ? .fill : .fit
        }
        guard let part = try raw.object(.crop, PartKeys.self) else { return nil }
        guard let width = try part.whole(.width, 1...32767), let height = try part.whole(.height, 1...32767) else {
            throw raw.problem(.crop, "needs both width and height")
        }
        return .part(
            PixelRect(
                x: try part.whole(.x, 0...32767) ?? 0, y: try part.whole(.y, 0...32767) ?? 0, width: width,
                height: height))
    }
}

extension String {
    /// The end of a sentence about a text that is not an identifier.
    package static let serviceIDRule =
        "has to begin with a letter or a digit and consist of letters, digits, ., - and _, at most 100"

    /// Whether the text can be the identifier of a service, an app or a group. It can then be a file name too.
    package var isServiceID: Bool {
        guard let first = utf8.first, first.isLetterOrDigit, utf8.count <= 100 else { return false }
        return utf8.allSatisfy { $0.isLetterOrDigit || [0x2d, 0x2e, 0x5f].contains($0) }
    }

    /// The end of a sentence about a text that is not an identifier of a group.
    static let groupRule =
        "the identifier of a group: letters, digits, ., - and _, at most 100, a letter or a digit first"

    static let nameInBundleRule = "has to be the name of a file inside the bundle"

    var isNameInBundle: Bool {
        printable(limit: 255) == self && !isEmpty && !contains("/") && !hasPrefix(".")
    }

    fileprivate var isVariableName: Bool {
        guard let first = utf8.first, !first.isDigit else { return false }
        return utf8.allSatisfy { $0.isLetterOrDigit || $0 == 0x5f }
    }

    fileprivate var isAbsolutePath: Bool {
        hasPrefix("/") && utf8.count <= 1000 && printable(limit: 1000) == self && !split(separator: "/").contains("..")
    }

    /// RFC 3986, 3.1, in lowercase.
    var isURLScheme: Bool {
        guard let first = utf8.first, first.isLetter, !first.isUppercase else { return false }
        return utf8.allSatisfy { $0.isLetterOrDigit && !$0.isUppercase || [0x2b, 0x2d, 0x2e].contains($0) }
    }
}

/// ASCII.
extension UInt8 {
    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }
    fileprivate var isUppercase: Bool { (0x41...0x5a).contains(self) }
    fileprivate var isLetter: Bool { (0x61...0x7a).contains(self | 0x20) }
    fileprivate var isLetterOrDigit: Bool { isLetter || isDigit }
}
