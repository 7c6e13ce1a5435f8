// Walking through a manifest's JSON: each step knows the place it is at, so that what is wrong is named by its key.
import KinePlatform

/// An object of a manifest, with the keys it may have.
struct ManifestReader {
    typealias Problem = ServiceManifest.Problem

    private let members: [String: JSONValue]
    /// "video.raw"; empty at the top.
    private let path: String

    /// `allowed`: a key that is none of these is a misspelt one.
    init(_ value: JSONValue, path: String = "", allowed: [String]) throws(Problem) {
        guard case .object(let members) = value else {
            throw Problem(key: path, reason: "is \(value.shortDescription) and has to be an object")
        }
        self.members = members
        self.path = path
        for key in members.keys.sorted() where !allowed.contains(key) {
            throw Problem(
                key: Self.join(path, key.printable(limit: 40)),
                reason: "is not known here; the keys are \(Self.list(allowed, last: "and"))")
        }
    }

    /// Absent and null are the same.
    func value(_ key: String) -> JSONValue? {
        guard let value = members[key], value != .null else { return nil }
        return value
    }

    func problem(_ key: String, _ reason: String) -> Problem { Problem(key: Self.join(path, key), reason: reason) }

    func name(of key: String) -> String { Self.join(path, key) }

    /// A text of at most `limit` characters on one line.
    func text(_ key: String, limit: Int = 200) throws(Problem) -> String? {
        guard let value = value(key) else { return nil }
        guard case .string(let text) = value else {
            throw problem(key, "is \(value.shortDescription) and has to be a text")
        }
        guard text.printable(limit: limit) == text else {
            throw problem(key, "has to be one line of at most \(limit) characters")
        }
        return text
    }

    func flag(_ key: String) throws(Problem) -> Bool? {
        guard let value = value(key) else { return nil }
        guard case .boolean(let flag) = value else {
            throw problem(key, "is \(value.shortDescription) and has to be true or false")
        }
        return flag
    }

    func number(_ key: String, _ range: ClosedRange<Double>) throws(Problem) -> Double? {
        guard let value = value(key) else { return nil }
        guard case .number(let number) = value, range.contains(number) else {
            throw problem(
                key,
                "is \(value.shortDescription) and has to be a number from \(Self.plain(range.lowerBound)) "
                    + "to \(Self.plain(range.upperBound))")
        }
        return number
    }

    func whole(_ key: String, _ range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let value = value(key) else { return nil }
        guard case .number(let number) = value, let whole = Int(exactly: number), range.contains(whole) else {
            throw problem(
                key,
                "is \(value.shortDescription) and has to be a whole number from \(range.lowerBound) "
                    + "to \(range.upperBound)")
        }
        return whole
    }

    /// One of a closed set of words.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ key: String, of type: Choice.Type = Choice.self
    ) throws(Problem) -> Choice? {
        guard let value = value(key) else { return nil }
        if case .string(let word) = value, let choice = Choice(rawValue: word) { return choice }
        throw problem(
            key,
            "is \(value.shortDescription) and has to be "
                + Self.list(Choice.allCases.map { "\"\($0.rawValue)\"" }, last: "or"))
    }

    /// A list of at most 64 members; absent: empty.
    func list(_ key: String) throws(Problem) -> [JSONValue] {
        guard let value = value(key) else { return [] }
        guard case .array(let members) = value, members.count <= 64 else {
            throw problem(key, "is \(value.shortDescription) and has to be a list of at most 64")
        }
        return members
    }

    /// A list of words that `isValid`; `what` says what those are.
    func words(_ key: String, _ what: String, where isValid: (String) -> Bool) throws(Problem) -> [String] {
        var words: [String] = []
        for member in try list(key) {
            guard case .string(let word) = member, isValid(word) else {
                throw problem(key, "holds \(member.shortDescription), which is not \(what)")
            }
            if !words.contains(word) { words.append(word) }
        }
        return words
    }

    private static func join(_ path: String, _ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

    private static func plain(_ number: Double) -> String { JSONValue.number(number).shortDescription }

    private static func list(_ words: [String], last: String) -> String {
        guard let final = words.last, words.count > 1 else { return words.first ?? "none" }
        return words.dropLast().joined(separator: ", ") + " \(last) \(final)"
    }
}
