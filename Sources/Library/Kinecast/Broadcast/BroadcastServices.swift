// The services that an app can broadcast to, and changes of that list.
import FoundationEssentials
import KineClient
import KinePlatform
import KineServices
import KineText
import KineWire
import SystemPackage

/// A setting of a service that the person fills in.
public typealias BroadcastField = ServiceManifest.SetupField

/// A service to broadcast to, such as RTMP servers or a program's own.
public struct BroadcastService: Sendable, Equatable, Identifiable {
    let service: Service

    package init(_ service: Service) { self.service = service }

    /// The same for all versions of a service: "rtmp", "org.example.uploader" …
    public var id: String { service.id }
    /// A name for the person.
    public var name: String { service.manifest.name }
    public var version: String? { service.manifest.version }
    /// The service's icon, a PNG or SVG file, if it has one.
    public var icon: URL? { service.icon.map { URL(filePath: $0.string) } }
    /// Whether the service has its own setup program instead of `fields`.
    public var hasSetupProgram: Bool { service.setupProgram != nil }
    /// The fields that the person fills in, in order.
    public var fields: [BroadcastField] { service.manifest.fields }

    /// Whether all of its fields may stay empty. A service that takes an address needs that.
    var needsNothing: Bool {
        !hasSetupProgram && !fields.isEmpty && service.manifest.urlSchemes.isEmpty
            && fields.allSatisfy { !$0.isRequired || $0.defaultValue ?? "" != "" }
    }
}

/// The services installed for this user.
public struct BroadcastServices: Sendable {
    private let locator: EngineLocator

    public init() { self.init(locator: EngineLocator()) }

    init(locator: EngineLocator) { self.locator = locator }

    /// The services, Kinecast's own first. Damaged bundles are left out; `kinecast services` names them.
    public func list() async throws(BroadcastError) -> [BroadcastService] {
        try await BlockingCall.run("kine-services") { [locator] () throws(BroadcastError) in
            do throws(ClientError) {
                let directory = try locator.engine().removingLastComponent()
                return ServiceCatalog.standard(executableDirectory: directory).list().services
                    .map(BroadcastService.init)
            } catch {
                throw BroadcastError(error)
            }
        }
    }

    /// The service with this identifier. Throws `unknownService` if it is not installed.
    public func service(_ identifier: String) async throws(BroadcastError) -> BroadcastService {
        let services = try await list()
        if let service = services.first(where: { $0.id == identifier }) { return service }
        throw .unknownService(identifier, installed: services)
    }

    /// The list after each change, checked every two seconds until the reader stops. Each access is a new sequence.
    public var changes: AsyncStream<[BroadcastService]> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: [BroadcastService].self, bufferingPolicy: .bufferingNewest(1))
        let watch = Task {
            var known = try? await list()
            while (try? await Task.sleep(for: .seconds(2))) != nil {
                guard let services = try? await list(), services != known else { continue }
                known = services
                continuation.yield(services)
            }
        }
        continuation.onTermination = { _ in watch.cancel() }
        return stream
    }
}

extension BroadcastError {
    static func unknownService(_ identifier: String, installed: [BroadcastService]) -> BroadcastError {
        BroadcastError(
            .unknownService,
            "No service is called \(identifier.printable(limit: 100)); there are "
                + "\(installed.map(\.id).joined(separator: ", ")), and kinecast services install adds one.")
    }
}
