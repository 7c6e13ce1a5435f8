// Answers the requests about the services that a page offers beside the live page and the user's destinations.
import HTTPTypes
import KineChoices
import KineClient
import KinePlatform
import KineServices
import KineText
import KineWire
import Kinecast

struct StudioService: Encodable, Sendable {
    let id: String
    let name: String
    /// None of a built-in service.
    let rights: [SheetRight]
    /// None if a setup program asks.
    let fields: [SetupQuestionField]
    let hasSetupProgram: Bool
    /// Whether its server can be asked if it would take the stream.
    let hasTest: Bool
    /// Absent: the server has none.
    let settings: ServiceSettings.State?

    init(_ service: Service, _ settings: ServiceSettings.State?) {
        (id, name) = (service.id, service.manifest.name)
        rights = service.rights.map { SheetRight($0) }
        hasSetupProgram = service.setupProgram != nil
        fields = hasSetupProgram ? [] : service.manifest.fields.map { SetupQuestionField($0) }
        hasTest = service.manifest.hasCheck
        self.settings = settings
    }

    /// Reads the directories of services each time.
    static func installed() throws(ClientError) -> [Service] {
        let directory = try EngineLocator().engine().removingLastComponent()
        return ServiceCatalog.standard(executableDirectory: directory).list().services
    }
}

extension StudioRoute {
    static let services: [StudioRoute] = [
        .get("api/services") { studio, _ in
            let services = try StudioService.installed().filter { $0.id != BuiltInServices.live.id }
            return .json(services.map { StudioService($0, studio.settings.state(of: $0)) })
        },
        .get("api/services/{service}/icon") { _, call in
            // An unknown service has no icon either: an app may have services of its own.
            try StudioService.installed().first { $0.id == call["service"] }.flatMap(StudioAnswer.init(iconOf:))
                .map(StudioResponse.answer) ?? .nothing
        },
        one("check") { _, service, call in
            .json(FieldProblems(of: try call.value(TypedValues.self).values, in: service.manifest.fields))
        },
        one("test") { studio, service, call in .job(try studio.test(service, call.value(TypedValues.self).values)) },
        one("forget") { studio, service, _ in
            try studio.settings.forget(service.id)
            return .done
        },
        // The service's setup program asks in a sheet.
        one("setup") { studio, service, _ in
            guard service.setupProgram != nil else {
                throw StudioProblem(
                    .conflict, "\(service.manifest.name) has no setup program; fill in its fields.")
            }
            let sheet = try studio.settings.setUp(service, in: studio.sheets) { sentence in
                studio.add(TakeNotice(kind: .failed, text: sentence))
            }
            return .json(["sheet": sheet])
        },
    ]

    /// A request about one service.
    private static func one(
        _ verb: String, _ work: @escaping @Sendable (Studio, Service, StudioCall) throws -> StudioResponse
    ) -> StudioRoute {
        .post("api/services/{service}/\(verb)") { studio, call in
            guard let service = try StudioService.installed().first(where: { $0.id == call["service"] }) else {
                throw StudioGate.Refusal.notFound
            }
            return try work(studio, service, call)
        }
    }
}

extension Studio {
    /// Asks the service's server whether it would take the stream. Its answer is the message of a job, whose ID is returned.
    fileprivate func test(_ service: Service, _ given: [String: String]) throws -> String {
        guard service.manifest.hasCheck else {
            throw StudioProblem(.conflict, "\(service.manifest.name) cannot ask its server; go live to find out.")
        }
        let info = try service.setupInfo(from: settings.values(of: service, given))
        let label = service.manifest.label(for: info)
        return try jobs.start(.check, of: service.id) { _ in
            let report = try await ServerCheck.ask(service, info)
            let sentence = "\(label): \(report.sentence)"
            guard report.problem == nil else { throw StudioProblem(.conflict, sentence, report.code) }
            return sentence
        }
    }
}

extension StudioAnswer {
    /// Bytes.
    private static let largestIcon = 256 << 10

    /// Nil: it has no icon. The file is foreign, so a browser that shows it by itself runs no script.
    init?(iconOf service: Service) {
        guard let path = service.icon, let bytes = PrivateDirectory.contents(of: path, limit: Self.largestIcon) else {
            return nil
        }
        self.init(type: path.escaped.hasSuffix(".svg") ? "image/svg+xml" : "image/png", body: bytes)
        fields = [(.contentSecurityPolicy, "default-src 'none'; style-src 'unsafe-inline'; sandbox")]
    }
}

/// The values that a person has typed into a form. A value has the key of its field.
struct TypedValues: Decodable { var values: [String: String] }

/// The problems of typed values.
struct FieldProblems: Encodable, Equatable {
    /// A sentence by each field's key; empty: all values are accepted.
    var problems: [String: String] = [:]

    init() {}

    /// Empty values are accepted, and so are those of unknown fields.
    init(of values: [String: String], in fields: [ServiceManifest.SetupField]) {
        for field in fields {
            guard let problem = values[field.key].flatMap(field.problem) else { continue }
            problems[field.key] = "\(field.title) \(problem)."
        }
    }
}
