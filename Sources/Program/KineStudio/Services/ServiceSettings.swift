// The settings of services that the server has: kept by the person, or returned by setup programs.
import KineMedia
import KineServices
import KineWire
import Kinecast
import Synchronization

/// Any thread may call.
final class ServiceSettings: Sendable {
    /// The raw value is the word in the page.
    enum State: String, Encodable, Sendable {
        /// In a private file.
        case kept
        /// In memory, until the server ends.
        case returned
    }

    private struct Contents {
        /// By the services' ids, as below. Another service may come to have the id.
        var returned: [String: (service: Service, values: [String: String])] = [:]
        /// The last setup of each service.
        var setups: [String: Task<Void, Never>] = [:]

        func values(returnedTo service: Service) -> [String: String]? {
            returned[service.id].flatMap { $0.service.installation == service.installation ? $0.values : nil }
        }
    }

    private let kept: KeptSettings
    private let contents = Mutex(Contents())

    init(_ kept: KeptSettings = KeptSettings()) { self.kept = kept }

    func state(of service: Service) -> State? {
        if contents.withLock({ $0.values(returnedTo: service) }) != nil { return .returned }
        return kept.settings(of: service.id) == nil ? nil : .kept
    }

    /// The given values, or the stored ones if none are given. A default is no value: it may be another one when what is
    /// kept is used.
    func values(of service: Service, _ given: [String: String]) -> [String: String] {
        let given = given.filter { key, value in
            !value.isEmpty && !service.manifest.setup.contains { $0.key == key && $0.defaultValue == value }
        }
        guard given.isEmpty else { return given }
        return contents.withLock { $0.values(returnedTo: service) } ?? kept.settings(of: service.id) ?? [:]
    }

    /// As `values`, checked. Throws a problem or an error that is a sentence.
    func checked(_ service: Service, _ given: [String: String]?) throws -> [String: String] {
        let values = values(of: service, given ?? [:])
        guard service.setupProgram == nil || !values.isEmpty else {
            throw StudioProblem(
                .conflict, "\(service.manifest.name) has to be set up first; do that among its settings.")
        }
        _ = try service.setupInfo(from: values)
        return values
    }

    /// Throws the system's error.
    func keep(_ values: [String: String], of service: String) throws {
        try kept.keep(values, of: service)
        contents.withLock { $0.returned[service] = nil }
    }

    /// Throws the system's error.
    func forget(_ service: String) throws {
        contents.withLock { contents in
            contents.returned[service] = nil
            contents.setups.removeValue(forKey: service)?.cancel()
        }
        try kept.remove(service)
    }

    /// Called by the setup's task, which may have been cancelled.
    func add(_ values: [String: String], returnedBy service: Service) {
        contents.withLock { if !Task.isCancelled { $0.returned[service.id] = (service, values) } }
    }

    /// Starts the service's setup program. Returns the id of the sheet in which it asks. A second setup cancels the
    /// first.
    ///
    /// - Parameter failed: gets a sentence.
    func setUp(
        _ service: Service, in sheets: Sheets, failed: @escaping @Sendable (String) -> Void
    ) throws(BroadcastError) -> String {
        let app = AppIdentity(identifier: "kinecast", name: "Kinecast")
        let presenter = try SheetPresenter(SheetApp(identifier: service.id, name: service.manifest.name), in: sheets)
        let task = Task { [self] in
            do throws(BroadcastError) {
                let setup = try await BroadcastService(service).setUp(with: presenter, app: app)
                add(setup.info, returnedBy: service)
            } catch {
                if error.code != .cancelled { failed(error.message) }
            }
            presenter.close()
        }
        contents.withLock { $0.setups.updateValue(task, forKey: service.id) }?.cancel()
        return presenter.id
    }
}
