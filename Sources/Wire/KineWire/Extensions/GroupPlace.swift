// A group's container as an engine tells an extension of it.

/// The directory that the members of a group share.
public struct GroupPlace: Codable, Sendable, Equatable {
    public var identifier: String
    /// Absolute.
    public var path: String

    public init(identifier: String, path: String) {
        self.identifier = identifier
        self.path = path
    }
}
