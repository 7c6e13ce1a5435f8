// What the processes of a destination are started with: the service, the user's settings, and the socket on which it serves.
import KineRings
import KineServices
import KineWire

/// The service of a destination with its settings. It keeps the socket from the first process to the last.
struct ExtensionSetup {
    let service: Service
    /// Texts of the settings that must not be shown.
    let secrets: [String]
    /// Checked and complete, see `Service.setupInfo`.
    private let info: [String: String]
    /// Open from the first process to the last: no other program gets the port, and viewers wait during a restart.
    private var listener: ListeningSocket?

    init(service: Service, info: [String: String]) {
        self.service = service
        self.info = info
        secrets = service.secrets(in: info)
    }

    var manifest: ServiceManifest { service.manifest }

    /// Opens the listening socket that the manifest asks for. Only the first call does.
    mutating func openListener() throws(ExtensionProcess.StartError) {
        guard listener == nil, let key = manifest.listen else { return }
        do throws(ListeningSocket.Error) {
            listener = try ListeningSocket(at: info[key] ?? "", setting: key, service: manifest.name)
        } catch {
            throw .notListening(error)
        }
    }

    /// Call once no process follows.
    mutating func closeListener() { listener = nil }

    /// - Parameter mark: unique among this engine's extensions.
    func start(mark: String, in context: ExtensionSupervisor.Context) -> ExtensionProcess.Start {
        ExtensionProcess.Start(
            service: service, mark: mark, setupInfo: info, environment: context.environment,
            confinement: context.confinement, listener: listener)
    }

    /// The first message to a process. It passes on the links of an earlier process, so that open pages still work, and
    /// the listening socket's info.
    func startMessage(
        for stream: StreamDescription, groups: [GroupPlace], after earlier: DestinationStatus
    ) -> ExtensionStart {
        var info = info
        if let link = earlier.link { info["previousLink"] = link }
        if let link = earlier.playerLink { info["previousPlayerLink"] = link }
        if let listener { info.merge(listener.setupInfo) { _, its in its } }
        var start = ExtensionStart(
            service: manifest.id, setupInfo: info, stream: stream, memoryLimit: manifest.memoryLimit,
            finishSeconds: manifest.finishSeconds)
        start.groups = groups
        return start
    }
}
