// Changes of a running take that `kinecast` makes: it knows the sources' names, and the destinations' settings.

extension TakeCommand {
    /// The arguments of `kinecast`; nil: a value is missing or cannot be one.
    ///
    /// - Parameter take: its id.
    func arguments(_ take: String, _ body: [UInt8]) -> [String]? {
        switch self {
        case .source:
            guard let source = StudioJSON.decode(RecordingChoice.self, body)?.sourceArgument else { return nil }
            return ["switch", take, source]
        case .destinations:
            struct Added: Decodable { var destination: DestinationName }
            guard let added = StudioJSON.decode(Added.self, body) else { return nil }
            return ["destination", "add", take, added.destination.argument]
        }
    }
}
