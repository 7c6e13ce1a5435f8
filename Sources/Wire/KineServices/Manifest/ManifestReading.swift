// Reads the values of a manifest's JSON, checks their limits, and collects unknown keys.
import KineText
import Synchronization

extension ServiceManifest {
    /// Collects the places of keys that no reader knows.
    final class UnknownKeys: Sendable {
        static let info = CodingUserInfoKey(rawValue: "UnknownKeys")
        private let found = Mutex<[String]>([])

        var places: [String] { found.withLock { $0.sorted() } }
        func insert(_ path: [any CodingKey]) { found.withLock { $0.append(Problem(path, "").place) } }
    }
}

private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Decoder {
    /// An object of a manifest. Keys outside `keys` are allowed: they are misspelt, or of a later version.
    func object<Key: CodingKey>(_ keys: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let unknown = ServiceManifest.UnknownKeys.info.flatMap { userInfo[$0] as? ServiceManifest.UnknownKeys }
        for key in try container(keyedBy: AnyKey.self).allKeys where Key(stringValue: key.stringValue) == nil {
            unknown?.insert(codingPath + [key])
        }
        return try container(keyedBy: keys)
    }

    /// Reports keys of a later format version as unknown in a manifest of an earlier one.
    func noteUnknown<Key: CodingKey>(_ keys: [Key], in object: KeyedDecodingContainer<Key>) {
        let unknown = ServiceManifest.UnknownKeys.info.flatMap { userInfo[$0] as? ServiceManifest.UnknownKeys }
        for key in keys where object.contains(key) { unknown?.insert(codingPath + [key]) }
    }
}

/// Each method returns nil, or an empty list, if the key is absent or null.
extension KeyedDecodingContainer {
    func problem(_ key: Key, _ reason: String) -> ServiceManifest.Problem { .init(codingPath + [key], reason) }

    func object<Keys: CodingKey>(_ key: Key, _ keys: Keys.Type) throws -> KeyedDecodingContainer<Keys>? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        return try superDecoder(forKey: key).object(keys)
    }

    /// Whether the value is a text, if other types are allowed too.
    func hasText(_ key: Key) -> Bool { (try? decodeIfPresent(String.self, forKey: key)) ?? nil != nil }

    /// A text of at most `limit` characters on one line.
    func line(_ key: Key, limit: Int = 200) throws -> String? {
        let text = try decodeIfPresent(String.self, forKey: key)
        guard let text, text.printable(limit: limit) != text else { return text }
        throw problem(key, "has to be one line of at most \(limit) characters")
    }

    func number(_ key: Key, _ range: ClosedRange<Double>) throws -> Double? {
        let value = try decodeIfPresent(Double.self, forKey: key)
        guard let value, !range.contains(value) else { return value }
        throw problem(
            key,
            "is \(value.plain) and has to be a number from \(range.lowerBound.plain) to \(range.upperBound.plain)")
    }

    func whole(_ key: Key, _ range: ClosedRange<Int>) throws -> Int? {
        guard let value = try decodeIfPresent(Double.self, forKey: key) else { return nil }
        if let whole = Int(exactly: value), range.contains(whole) { return whole }
        throw problem(
            key, "is \(value.plain) and has to be a whole number from \(range.lowerBound) to \(range.upperBound)")
    }

    func choice<Choice: RawRepresentable<String> & CaseIterable>(_ key: Key) throws -> Choice? {
        guard let word = try decodeIfPresent(String.self, forKey: key) else { return nil }
        if let choice = Choice(rawValue: word) { return choice }
        let allowed = Choice.allCases.map { $0.rawValue.quoted }
        let list = [allowed.dropLast().joined(separator: ", "), allowed.last ?? ""].filter { !$0.isEmpty }
        throw problem(key, "is \(word.quoted) and has to be \(list.joined(separator: " or "))")
    }

    /// A list of at most 64 members.
    func list<Member: Decodable>(_ key: Key) throws -> [Member] {
        let members = try decodeIfPresent([Member].self, forKey: key) ?? []
        guard members.count > 64 else { return members }
        throw problem(key, "has \(members.count) members and may have 64")
    }

    func members<Member>(_ key: Key, _ read: (any Decoder) throws -> Member) throws -> [Member] {
        guard contains(key), try !decodeNil(forKey: key) else { return [] }
        var list = try nestedUnkeyedContainer(forKey: key)
        if let count = list.count, count > 64 {
            throw problem(key, "has \(count) members and may have 64")
        }
        var members: [Member] = []
        while !list.isAtEnd { members.append(try read(try list.superDecoder())) }
        return members
    }

    /// For each key of an object a list of words; all must be `isValid`. Nil if it is not an object.
    func wordLists(_ key: Key, _ what: String, where isValid: (String) -> Bool) throws -> [String: [String]]? {
        guard let lists = try? nestedContainer(keyedBy: AnyKey.self, forKey: key) else { return nil }
        guard lists.allKeys.count <= 64 else {
            throw problem(key, "has \(lists.allKeys.count) members and may have 64")
        }
        var found: [String: [String]] = [:]
        for name in lists.allKeys {
            guard isValid(name.stringValue) else {
                throw problem(key, "holds \(name.stringValue.quoted), which is not \(what)")
            }
            found[name.stringValue] = try lists.words(name, what, where: isValid)
        }
        return found
    }

    /// A list of words that are `isValid`, without duplicates; `what` describes such a word in the message.
    func words(_ key: Key, _ what: String, where isValid: (String) -> Bool) throws -> [String] {
        var words: [String] = []
        for word: String in try list(key) where !words.contains(word) {
            guard isValid(word) else { throw problem(key, "holds \(word.quoted), which is not \(what)") }
            words.append(word)
        }
        return words
    }
}

extension String {
    var quoted: String { "\"\(printable(limit: 40))\"" }
}

extension Double {
    /// 50, not 50.0.
    var plain: String { Int(exactly: self).map { "\($0)" } ?? "\(self)" }
}

// The first mistake in a manifest.json, and its place.
extension ServiceManifest {
    /// A mistake in a manifest.
    public struct Problem: Swift.Error, Equatable, Sendable, CustomStringConvertible {
        /// "video.raw.pixelFormat", "setup[0].key"; empty: the whole file.
        public var place: String
        /// The rest of a sentence that begins with the place: the mistake, and the allowed values.
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

        public var description: String { "\(place.isEmpty ? "the file" : place) \(reason)" }
    }
}
