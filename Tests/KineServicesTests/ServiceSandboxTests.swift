// The files and sockets that a service's executable reaches by the rules of its manifest.
import KinePlatform
import KineServices
import SystemPackage
import Testing

@Suite(.serialized) struct ServiceSandboxTests {
    /// Runs a command of the system's as if it were the executable of a service that comes with Kinecast.
    private func run(_ arguments: [String], network: ServiceManifest.Network) throws -> ChildProcess.Ending {
        var manifest = BuiltInServices.rtmp
        manifest.network = network
        let service = Service(
            manifest: manifest, origin: .builtIn, bundle: nil, executable: FilePath(arguments[0]))
        var options = ChildProcess.Options()
        options.descriptors = [nil, nil, nil]
        options.directory = "/"
        options.confinement = ChildProcess.Confinement()
        // The rules for root, which are narrower.
        options.confinement?.sandbox = try Sandbox(
            ServiceSandbox.rules(for: service, data: nil, isCounted: false, user: 0))
        return try ChildProcess(
            executable: arguments[0], arguments: Array(arguments.dropFirst()), environment: [], options: options
        ).wait()
    }

    @Test(arguments: [["ahosts", "localhost"], ["services", "http"], ["protocols", "tcp"]])
    func `a service that connects can resolve names without a name service of its own`(question: [String]) throws {
        #expect(try run(["/usr/bin/getent"] + question, network: .connect) == .exited(status: 0))
    }

    @Test(.enabled(if: Sandbox.available.contains(.landlock), "this kernel has no Landlock"))
    func `a service reads only what its rules name`() throws {
        #expect(try run(["/usr/bin/getent", "services", "http"], network: .none) != .exited(status: 0))
        #expect(try run(["/usr/bin/cat", "/etc/passwd"], network: .connect) == .exited(status: 1))
    }
}
