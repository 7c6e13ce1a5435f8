// The services that a page offers beside the live page and the user's destinations.
import HTTPTypes
import KineClient
import KinePlatform
import KineServices
import KineWire
import Kinecast

struct StudioService: Encodable, Sendable {
    let id: String
    let name: String
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
        rights = service.manifest.rights.map { SheetRight($0) }
        hasSetupProgram = service.setupProgram != nil
        fields = hasSetupProgram ? [] : service.manifest.fields.map { SetupQuestionField($0) }
        hasTest = ServerCheck.isPossible(for: service)
        self.settings = settings
    }

    /// Reads the directories of services each time.
    static func installed() throws(ClientError) -> [Service] {
        let directory = try EngineLocator().engine().removingLastComponent()
        return ServiceCatalog.standard(executableDirectory: directory).list().services
    }
}

extension Studio {
    func services() -> StudioAnswer {
        do throws(ClientError) {
            let services = try StudioService.installed().filter { $0.id != BuiltInServices.live.id }
            return StudioAnswer(services.map { StudioService($0, settings.state(of: $0.id)) })
        } catch {
            return StudioAnswer(error)
        }
    }

    func answer(_ operation: ServiceOperation, _ id: String, _ body: [UInt8]) -> StudioAnswer {
        do throws(ClientError) {
            guard let service = try StudioService.installed().first(where: { $0.id == id }) else {
                // A browser would report an error for 404, and an app may have services of its own.
                return operation == .icon
                    ? StudioAnswer(status: .noContent, body: []) : StudioAnswer(StudioGate.Refusal.notFound)
            }
            return answer(operation, service, body)
        } catch {
            return StudioAnswer(error)
        }
    }

    private func answer(_ operation: ServiceOperation, _ service: Service, _ body: [UInt8]) -> StudioAnswer {
        struct Given: Decodable { var values: [String: String] }
        switch operation {
        case .icon: return StudioAnswer(iconOf: service)
        case .check, .test:
            guard let given = StudioJSON.decode(Given.self, body) else { return .malformed }
            if operation == .test { return test(service, given.values) }
            return StudioAnswer(FieldProblems(of: given.values, in: service.manifest.fields))
        case .setup, .forget:
            guard StudioJSON.isObject(body) else { return .malformed }
            if operation == .setup { return setUp(service) }
            settings.forget(service.id)
            return .done
        }
    }

    /// Begins a sheet in which the service's setup program asks.
    private func setUp(_ service: Service) -> StudioAnswer {
        guard service.setupProgram != nil else {
            return StudioAnswer(
                .conflict, message: "\(service.manifest.name) has no setup program; fill in its fields.")
        }
        do throws(BroadcastError) {
            let sheet = try settings.setUp(service, in: sheets) { [self] sentence in
                add(TakeNotice(kind: .failed, text: sentence))
            }
            return StudioAnswer(["sheet": sheet])
        } catch {
            return StudioAnswer(.serviceUnavailable, message: error.message)
        }
    }

    /// Asks the service's server whether it would take the stream. Its answer is the message of a job.
    private func test(_ service: Service, _ given: [String: String]) -> StudioAnswer {
        guard ServerCheck.isPossible(for: service) else {
            return StudioAnswer(
                .conflict, message: "\(service.manifest.name) cannot ask its server; go live to find out.")
        }
        let info: [String: String]
        do throws(Service.SetupProblem) {
            info = try service.setupInfo(from: settings.values(of: service.id, given))
        } catch {
            return StudioAnswer(.conflict, message: error.description)
        }
        let label = service.manifest.label(for: info)
        do throws(LibraryProblem) {
            let job = try jobs.start(.check, of: service.id) { _ throws(LibraryProblem) in
                let report: DestinationReport
                do throws(BroadcastError) { report = try await ServerCheck.ask(service, info) } catch {
                    throw LibraryProblem(.serviceUnavailable, error.message)
                }
                let sentence = "\(label): \(report.sentence)"
                guard report.problem == nil else { throw LibraryProblem(.conflict, sentence) }
                return sentence
            }
            return .job(job)
        } catch {
            return StudioAnswer(error)
        }
    }
}

extension StudioAnswer {
    /// Bytes.
    private static let largestIcon = 256 << 10

    /// Without content where there is no icon. The file is foreign, so a browser that shows it by itself runs no script.
    init(iconOf service: Service) {
        guard let path = service.icon, let bytes = PrivateDirectory.contents(of: path, limit: Self.largestIcon) else {
            self.init(status: .noContent, body: [])
            return
        }
        self.init(type: path.escaped.hasSuffix(".svg") ? "image/svg+xml" : "image/png", body: bytes)
        fields = [(.contentSecurityPolicy, "default-src 'none'; style-src 'unsafe-inline'; sandbox")]
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
