// What an extension tells the app that broadcasts: viewers, the room of a chat, a poll … The keys are the service's own.

/// The bounds of a service's information. It is foreign text to whoever gets it.
public enum ServiceInfo {
    /// The most entries, the characters of a key, and those of a value.
    public static let entryLimit = 64
    private static let keyLimit = 100
    private static let valueLimit = 1000

    /// At most 64 entries, the first by their keys, each text on one line and cut behind its limit, and without these secrets.
    public static func bounded(_ info: [String: String], without secrets: [String] = []) -> [String: String] {
        let first = info.sorted { $0.key < $1.key }.prefix(entryLimit)
        let entries = first.map { key, value in
            (key.cleaned(of: secrets, limit: keyLimit), value.cleaned(of: secrets, limit: valueLimit))
        }
        return Dictionary(entries) { first, _ in first }
    }
}
