// What an extension tells the app that broadcasts: viewers, the room of a chat, a poll … The keys are the service's own.

/// The bounds of a service's information. It is foreign text to whoever gets it.
public enum ServiceInfo {
    /// The most bytes of it as JSON: the statuses of all destinations fit in one message (`ControlDecoder.messageLimit`).
    public static let byteLimit = 4096

    /// At most 64 entries and 4096 bytes, the first by their keys, each text on one line and cut behind its limit, and without these
    /// secrets.
    public static func bounded(_ info: [String: String], without secrets: [String] = []) -> [String: String] {
        var bounded: [String: String] = [:]
        var left = byteLimit - 2
        for (key, value) in info.sorted(by: { $0.key < $1.key }).prefix(64) {
            let (shown, text) = (key.cleaned(of: secrets, limit: 100), value.cleaned(of: secrets, limit: 1000))
            // Four quotation marks, a colon and a comma.
            let bytes = shown.jsonByteCount + text.jsonByteCount + 6
            guard bytes <= left, bounded[shown] == nil else { continue }
            bounded[shown] = text
            left -= bytes
        }
        return bounded
    }
}
