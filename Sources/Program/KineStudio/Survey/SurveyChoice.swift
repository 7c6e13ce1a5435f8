// What a page shows before a recording: its source, its audio and its camera, as values of the options of `kinecast record`.
import KineMedia
import KineWire

struct SurveyChoice: Decodable, Equatable, Sendable {
    var audio = TakeConfiguration.AppAudio.none
    /// Its device is open while it is measured, so a page names only one that the person has chosen.
    var microphone = TakeConfiguration.Microphone.none

    /// Nil: none. It is open while it is shown, so a page names only one that the person has chosen.
    var camera: String?

    /// The source whose pictures are large; nil: none.
    var shown: SurveyPicture.Subject?

    private enum CodingKeys: String, CodingKey {
        case audio, microphone, camera, shown
    }

    init() {}

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        audio = try Self.value(.audio, in: container, TakeConfiguration.AppAudio.init(option:)) ?? .none
        microphone = try Self.value(.microphone, in: container, TakeConfiguration.Microphone.init(option:)) ?? .none
        camera = try Self.value(.camera, in: container) { $0.isEmpty ? nil : $0 }.flatMap { $0 == "none" ? nil : $0 }
        let source = try container.decodeIfPresent(RecordingChoice.self, forKey: .shown)
        guard source?.isValid != false else {
            throw DecodingError.dataCorruptedError(forKey: .shown, in: container, debugDescription: "not a source")
        }
        shown = source?.surveyed
    }

    /// Nil: the key is absent.
    private static func value<Value>(
        _ key: CodingKeys, in container: KeyedDecodingContainer<CodingKeys>, _ parse: (String) -> Value?
    ) throws -> Value? {
        guard let text = try container.decodeIfPresent(String.self, forKey: key) else { return nil }
        guard text.unicodeScalars.count <= RecordingChoice.longestName, let value = parse(text) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: container, debugDescription: "not the name of audio")
        }
        return value
    }
}

extension RecordingChoice {
    /// Nil: a source of which the survey makes no pictures.
    fileprivate var surveyed: SurveyPicture.Subject? {
        guard let name else { return nil }
        return switch source {
        case .monitor: .monitor(name)
        case .window: name.hasPrefix("0x") ? UInt32(name.dropFirst(2), radix: 16).map { .window($0) } : nil
        case .region, .app, nil: nil
        }
    }
}
