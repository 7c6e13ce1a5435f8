// The names of the user's file of destinations.
import KinePlatform

extension DestinationName {
    /// The live page, and the names in the user's file of destinations. Its addresses are not read: they have keys.
    static var known: [DestinationName] {
        let file = UserDirectories.configuration()?.appending("kinecast/destinations")
        let bytes = file.flatMap { PrivateDirectory.contents(of: $0, limit: 64 << 10) } ?? []
        let names = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
            .compactMap { $0.split(whereSeparator: \.isWhitespace).first }
        return ([DestinationName("live")] + names.map { DestinationName("@\($0)") }).compactMap(\.self)
    }
}
