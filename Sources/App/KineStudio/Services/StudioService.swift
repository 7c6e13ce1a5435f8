// The services that a page offers beside the live page and the user's destinations.
import KineClient
import KineServices
import KineWire

/// A service with fields that a page can show. Services with a setup program ask in a terminal or in an app.
struct StudioService: Encodable, Sendable {
    let id: String
    let name: String
    let rights: [SheetRight]
    let fields: [SetupQuestionField]

    init(_ service: Service) {
        (id, name) = (service.id, service.manifest.name)
        rights = service.manifest.rights.map { SheetRight($0) }
        fields = service.manifest.fields.map { SetupQuestionField($0) }
    }

    /// Reads the directories of services each time.
    static func installed() throws(ClientError) -> [Service] {
        let directory = try EngineLocator().engine().removingLastComponent()
        return ServiceCatalog.standard(executableDirectory: directory).list().services.filter { service in
            service.id != "live" && service.setupProgram == nil && !service.manifest.fields.isEmpty
        }
    }
}

extension Studio {
    func services() -> StudioAnswer {
        do throws(ClientError) { return StudioAnswer(try StudioService.installed().map(StudioService.init)) } catch {
            return StudioAnswer(error)
        }
    }

    /// Checks values while the person types them.
    func checkService(_ id: String, _ body: [UInt8]) -> StudioAnswer {
        struct Checked: Decodable { var values: [String: String] }
        guard let checked = StudioJSON.decode(Checked.self, body) else { return .malformed }
        do throws(ClientError) {
            guard let service = try StudioService.installed().first(where: { $0.id == id }) else {
                return StudioAnswer(StudioGate.Refusal.notFound)
            }
            return StudioAnswer(FieldProblems(of: checked.values, in: service.manifest.fields))
        } catch {
            return StudioAnswer(error)
        }
    }
}

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
