// One running extension: its confined process, its control channel, and the end of its standard error. Linux.
import CLinux
import Glibc
import KineMedia
import KinePlatform
import KineServices
import KineText
import KineWire
import SystemPackage

/// A started extension. `kill` ends it with all its descendants, and `poll` reaps it. The thread that starts it must
/// live as long as this process, because the kernel kills the extension when that thread ends.
final class ExtensionProcess {
    struct End {
        var ending: ChildProcess.Ending
        /// The most telling last line of its standard error.
        var stderrTail: String?
        /// Bytes; its peak memory if the kernel ended it at its limit, else nil.
        var cappedAt: Int?
        /// The error if its program could not be executed.
        var notLoaded: StartError?
    }

    /// The most bytes of standard error that are kept.
    private static let logBytes = 128 << 10

    let connection: SupervisorConnection
    var pid: Int32 { process.pid }
    /// For poll: readable when the process has ended.
    var exitDescriptor: Int32 { process.exitDescriptor }
    /// The layers of confinement in force.
    let layers: Set<Sandbox.Layer>
    /// The directories that it shares with other members of its groups.
    let groups: [GroupPlace]
    private let service: Service
    private let process: ChildProcess
    private let log: MemoryLog?
    private let orphans: Orphans
    private let mark: String
    private let cap: MemoryCap?

    struct Start {
        let service: Service
        /// Unique among this engine's extensions.
        let mark: String
        /// Checked and complete.
        let setupInfo: [String: String]
        /// The engine's environment, as `NAME=value`.
        let environment: [String]
        let confinement: ConfinementRequest
        /// The socket that the engine opens for it if its manifest says so.
        let listener: ListeningSocket?
    }

    init(_ start: Start, orphans: Orphans) throws(StartError) {
        let (service, mark) = (start.service, start.mark)
        // Another service with its id must not get the settings that were given to this one.
        guard !service.isSuperseded else { throw .superseded(service: service.id) }
        log = MemoryLog(name: "kinecast-extension", limit: Self.logBytes)
        cap = MemoryCap(name: "kinecast-\(getpid())-\(mark)", limit: Int64(service.manifest.memoryLimit))
        self.service = service
        self.mark = mark
        self.orphans = orphans
        let ends: (near: SupervisorConnection, farEnd: FileDescriptor)
        do throws(ControlError) {
            ends = try SupervisorConnection.pair()
        } catch {
            throw .noChannel(error, service: service.id)
        }
        connection = ends.near
        defer { try? ends.farEnd.close() }
        let passed = SettingFiles(
            of: service, setupInfo: start.setupInfo, listener: start.listener?.descriptor)
        defer { passed.close() }
        let data = ServiceSandbox.dataDirectory(of: service, environment: start.environment)
        groups = try Self.groups(of: service, environment: start.environment)
        let confinement = try Self.confinement(start, data: data, groups: groups, cap: cap)
        layers = confinement.sandbox?.layers ?? []
        var options = ChildProcess.Options()
        options.descriptors = [nil, nil, log?.descriptor, ends.farEnd] + passed.descriptors
        options.parentDeathSignal = SIGKILL
        options.newSession = true
        options.directory = "/"
        options.confinement = confinement
        do throws(Errno) {
            process = try ChildProcess(
                executable: service.executable.escaped, arguments: service.arguments,
                environment: service.manifest.childEnvironment(from: start.environment)
                    + ["\(Orphans.markVariable)=\(mark)"] + passed.environment
                    + (data.map { ["\(PassedDescriptors.dataVariable)=\($0)"] } ?? []),
                options: options)
        } catch {
            throw .notExecutable(error, service.executable, service: service.id)
        }
        orphans.note(extension: process.pid, mark: mark)
    }

    private static func groups(of service: Service, environment: [String]) throws(StartError) -> [GroupPlace] {
        var places: [GroupPlace] = []
        for group in service.manifest.groups {
            do throws(UserDataDirectory.Error) {
                let path = try GroupDirectory.make(for: group, environment: environment)
                places.append(GroupPlace(identifier: group, path: path.escaped))
            } catch {
                throw .noGroup(error, group: group, service: service.id)
            }
        }
        return places
    }

    private static func confinement(
        _ start: Start, data: FilePath?, groups: [GroupPlace], cap: MemoryCap?
    ) throws(StartError) -> ChildProcess.Confinement {
        var confinement = ServiceSandbox.limits(of: start.service, isCounted: cap != nil)
        let rules: Sandbox.Rules
        do throws(ServiceManifest.Problem) {
            rules = try ServiceSandbox.rules(
                for: start.service, data: data, groups: groups.map { FilePath(escaped: $0.path) },
                isCounted: cap != nil, environment: start.environment)
        } catch {
            throw .refused(error, service: start.service.id)
        }
        do throws(Errno) {
            confinement.sandbox = try Sandbox(rules, leavingOut: start.confinement.leftOut)
        } catch {
            throw .unconfined(error, service: start.service.id)
        }
        confinement.cgroupProcesses = cap?.processes
        return confinement
    }

    /// Memory in bytes, and threads, of the process and its descendants. Each process counts shared pages in full.
    func usage() -> (bytes: Int, threads: Int) {
        let usages = orphans.processes(of: pid, mark: mark).map(ProcessTree.usage)
        return (usages.reduce(0) { $0 + $1.bytes }, usages.reduce(0) { $0 + $1.threads })
    }

    /// Kills the process and all its descendants. `poll` then returns its end.
    func kill() {
        cap?.kill()
        orphans.kill(pid, mark: mark)
    }

    /// Reaps the process if it has ended; nil while it runs. Afterwards only `clear` may be called.
    func poll() -> End? {
        guard let ending = process.poll() else { return nil }
        orphans.forget(extension: pid)
        let stderrTail = log?.stderrTail()
        let failure = LoadingFailure(of: service.executable, ending, stderrTail: stderrTail)
        return End(
            ending: ending, stderrTail: stderrTail, cappedAt: cap?.peakWhenEnded,
            notLoaded: failure.map { .notLoaded($0, service: service.id) })
    }

    /// Kills the processes that a reaped extension left behind. Returns true once none is left.
    func clear() -> Bool {
        cap?.kill()
        if orphans.survivors(of: mark).isEmpty { return true }
        orphans.kill(nil, mark: mark)
        return orphans.survivors(of: mark).isEmpty
    }
}
