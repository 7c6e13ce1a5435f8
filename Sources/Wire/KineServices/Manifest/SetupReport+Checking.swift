// Checks the messages of a setup program, which is foreign: sizes, counts and addresses must be within limits.
import FoundationEssentials
import KineText
import KineWire

/// A setup program's message that can be shown to a person.
public enum CheckedSetupReport: Sendable, Equatable {
    case ask(number: Int, message: String?, [ServiceManifest.SetupField])
    case login(URL)
    case finished([String: String], broadcastURL: URL?)
    case failed(String)

    /// A setup program's mistake: the end of a sentence that begins with the program.
    public struct Violation: Error, Sendable, Equatable, CustomStringConvertible {
        public let description: String
    }

    /// The most characters of an address.
    private static let addressLimit = 2000
    private static let entryLimit = 64

    /// - Parameters:
    ///   - given: the person's answers for settings that only a person may provide (`engineOpens`).
    ///   - secrets: the secrets that the person has typed, which no sentence repeats.
    public init(
        _ report: SetupReport, for manifest: ServiceManifest, given: [String: String], secrets: [String]
    ) throws(Violation) {
        switch report {
        case .ask(let question):
            self = .ask(
                number: question.question, message: question.message?.cleaned(of: secrets, limit: 500),
                try Self.fields(question.fields, secrets).map { $0.asked(for: manifest) })
        case .login(let address):
            // An address can send out data that the program has read.
            guard manifest.network == .connect else {
                throw Violation(description: "wants a login, and its manifest has no network")
            }
            self = .login(try Self.address(address, of: "the login", schemes: ["https"]))
        case .finished(let result):
            guard result.setupInfo.count <= Self.entryLimit else {
                throw Violation(description: "returned more than \(Self.entryLimit) settings")
            }
            for value in result.setupInfo.values
            where value.unicodeScalars.count > ServiceManifest.SetupField.valueLimit {
                throw Violation(
                    description: "returned a setting of more than \(ServiceManifest.SetupField.valueLimit) characters")
            }
            for (key, value) in result.setupInfo.sorted(by: { $0.key < $1.key })
            where manifest.engineOpens(key) && !value.isEmpty && value != given[key] {
                throw Violation(description: "returned a value of its own for \(key), which only the person gives")
            }
            self = .finished(
                result.setupInfo,
                broadcastURL: try result.broadcastURL.map { (text) throws(Violation) in
                    try Self.address(text, of: "the broadcast", schemes: ["https", "http"])
                })
        case .failed(let sentence): self = .failed(sentence.cleaned(of: secrets, limit: 500))
        }
    }

    private static func fields(
        _ fields: [SetupQuestionField], _ secrets: [String]
    ) throws(Violation) -> [ServiceManifest.SetupField] {
        guard !fields.isEmpty, fields.count <= entryLimit else {
            throw Violation(description: "asked for \(fields.count) fields at once, and 1 to \(entryLimit) are allowed")
        }
        guard Set(fields.map(\.key)).count == fields.count else {
            throw Violation(description: "asked for a field twice at once")
        }
        do {
            // Uses the manifest's reader, so that the same rules apply.
            let json = try JSONEncoder().encode(fields)
            return try JSONDecoder().decode([ServiceManifest.SetupField.FieldOfForm2].self, from: json).map(\.field)
        } catch let problem as ServiceManifest.Problem {
            // The reason repeats the invalid value as the program wrote it.
            let reason = problem.description.cleaned(of: secrets, limit: 500)
            throw Violation(description: "asked for a field that cannot be: \(reason)")
        } catch {
            throw Violation(description: "asked for a field that cannot be")
        }
    }

    /// Accepts only an address whose host a person can judge: no user name, only visible characters.
    private static func address(_ text: String, of what: String, schemes: [String]) throws(Violation) -> URL {
        let list = schemes.map { "\($0)://" }.joined(separator: " or ")
        let isPlain = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
        guard isPlain, text.utf8.count <= addressLimit, let url = URL(string: text),
            url.user(percentEncoded: false) == nil,
            url.password(percentEncoded: false) == nil, let host = url.host(percentEncoded: true), !host.isEmpty,
            !host.contains("%"),
            let scheme = url.scheme?.lowercased()
        else { throw Violation(description: "gave an address of \(what) that is none") }
        guard schemes.contains(scheme) else {
            throw Violation(description: "gave an address of \(what) that does not begin with \(list)")
        }
        return url
    }
}

extension ServiceManifest.SetupField {
    /// The field to show to a person. If the engine opens its value, this is the manifest's own field without a
    /// default: the program must not change its words, and an empty line must not name a file.
    fileprivate func asked(for manifest: ServiceManifest) -> Self {
        guard manifest.engineOpens(key), var own = manifest.setup.first(where: { $0.key == key }) else { return self }
        own.isRequired = isRequired
        own.isAdvanced = isAdvanced && !isRequired
        own.defaultValue = nil
        return own
    }
}

// One sentence for each mistake in the settings of a service.
extension Service.SetupProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unknownKey(let key, let service, let keys) where keys.isEmpty:
            "The service \(service) has nothing to set, and \(key) was given; leave it out."
        case .unknownKey(let key, let service, let keys):
            "The service \(service) does not know the setting \(key); it has \(keys.joined(separator: ", "))."
        case .missing(let key, let title, let service):
            "The service \(service) needs the setting “\(key)” (\(title)); give it a value."
        case .invalid(let key, let title, let service, let problem):
            "The setting \(key) (\(title)) of the service \(service) \(problem); correct it."
        case .scheme(let scheme, let service, let schemes) where schemes.isEmpty:
            "The service \(service) takes no address, and one that begins with \(scheme): was given; leave it out."
        case .scheme(let scheme, let service, let schemes):
            "The service \(service) takes no address that begins with \(scheme):, only "
                + "\(schemes.map { "\($0)://" }.joined(separator: ", ")); correct the address."
        }
    }
}
