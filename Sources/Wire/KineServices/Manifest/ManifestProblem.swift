// The first mistake in a manifest.json, and its place.
import KinePlatform

extension ServiceManifest {
    /// A mistake in a manifest.
    public struct Problem: Swift.Error, Equatable, Sendable {
        /// "video.raw.pixelFormat", "setup[0].key"; empty: the whole file.
        public var place: String
        /// The rest of a sentence that begins with the place: the mistake, and what is allowed.
        public var reason: String

        init(_ path: [any CodingKey], _ reason: String) {
            place = path.reduce("") { place, key in
                if let index = key.intValue { return "\(place)[\(index)]" }
                return (place.isEmpty ? "" : place + ".") + key.stringValue.printable(limit: 40)
            }
            self.reason = reason
        }

        init(_ error: DecodingError) {
            switch error {
            case .keyNotFound(let key, let context): self.init(context.codingPath + [key], "is missing")
            case .valueNotFound(_, let context): self.init(context.codingPath, "is missing")
            case .typeMismatch(let type, let context): self.init(context.codingPath, "has to be \(Self.kind(type))")
            case .dataCorrupted(let context):
                self.init(context.codingPath, "is not JSON (\(context.debugDescription.printable(limit: 120)))")
            @unknown default: self.init([], "is not JSON")
            }
        }

        private static func kind(_ type: any Any.Type) -> String {
            switch type {
            case is String.Type: "text"
            case is Bool.Type: "true or false"
            case is Double.Type: "a number"
            case is [Any].Type: "a list"
            default: "an object"
            }
        }
    }
}

extension ServiceManifest.Problem: CustomStringConvertible {
    public var description: String { "\(place.isEmpty ? "the file" : place) \(reason)" }
}
