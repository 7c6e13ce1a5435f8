// The registry's record of a take: the data to find it, to show it to a person, and to recover its file.
import KineMedia
import KineText

/// The contents of a take's `take.json`.
public struct TakeRecord: Codable, Sendable, Equatable {
    public var id: String
    /// The engine's process.
    public var pid: Int32
    /// The absolute path of the recording, if there is one.
    public var output: String?
    /// The source as it was asked for: "screen eDP-1", "window 0x3a00007" …
    public var source: String
    /// The source's name for a person. Every program of the user can read it, so it has no title of a window. Nil: an older
    /// engine's.
    public var sourceName: String?
    /// The time of the registration, in seconds since 1970, UTC.
    public var started: Double
    /// The app that requested the take; nil: the command line.
    public var app: AppIdentity?
    /// The time that its clip buffer keeps, if it has one.
    public var clipBuffer: MediaTime?

    /// The end of a sentence that says what to do about a take whose engine died.
    public var remedy: String {
        let dismissing = "kinecast dismiss \(id) takes it off the list"
        guard let output else { return "it wrote no file, and \(dismissing)" }
        return "kinecast recover \(output.shellWord) finishes its file, and \(dismissing)"
    }
}

/// Eight random characters of Crockford's base 32 (https://www.crockford.com/base32.html), in lowercase. Usually the
/// first two or three already distinguish takes.
public struct TakeID: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz")
    private static let length = 8

    public static func random() -> TakeID {
        TakeID(unchecked: String((0..<length).map { _ in alphabet.randomElement() ?? "0" }))
    }

    /// Nil unless `text` is a complete id in lowercase.
    public init?(_ text: String) {
        guard text.count == Self.length, text.allSatisfy(Self.alphabet.contains) else { return nil }
        description = text
    }

    private init(unchecked text: String) { description = text }

    /// Whether `typed` can mean this take: the id's beginning in any case, with `o` read as 0 and `i` and `l` as 1.
    public func hasPrefix(_ typed: String) -> Bool {
        let canonical = typed.lowercased().map { (letter: Character) -> Character in
            switch letter {
            case "o": "0"
            case "i", "l": "1"
            default: letter
            }
        }
        return !canonical.isEmpty && description.hasPrefix(String(canonical))
    }
}
