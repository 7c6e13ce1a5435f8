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

    @Test(arguments: [
        (
            "/b/x: error while loading shared libraries: libfoo.so.1: cannot open shared object file: No such file or directory",
            127, LoadingFailure.unreadable(library: "libfoo.so.1")
        ),
        (
            "/b/x: error while loading shared libraries: /b/libfoo.so: file too short", 127,
            .other("/b/libfoo.so: file too short")
        ),
        (
            "/b/x: /lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.99' not found (required by /b/x)", 1,
            .other("/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.99' not found (required by /b/x)")
        ),
        ("/bin/y: error while loading shared libraries: libfoo.so.1: cannot open shared object file", 127, nil),
        ("/b/x: not found", 127, nil), (nil, 127, nil),
    ])
    func `the loader's last words tell what a program lacks`(words: String?, status: Int32, failure: LoadingFailure?) {
        #expect(LoadingFailure(of: "/b/x", .exited(status: status), lastWords: words) == failure)
        #expect(LoadingFailure(of: "/b/x", .killed(signal: 9), lastWords: words) == nil)
    }
}
