// The files and sockets that a service's executable reaches by the rules of its manifest.
import CoreTesting
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage
import Testing

@testable import KineServices

@Suite(.serialized, .tags(.real)) struct ServiceSandboxTests {
    /// Runs a command of the system's as if it were the executable of a service that comes with Kinecast.
    private func run(
        _ arguments: [String], network: ServiceManifest.Network, passing descriptor: Int32? = nil,
        _ change: (inout ServiceManifest) -> Void = { _ in }
    ) throws -> ChildProcess.Ending {
        var manifest = BuiltInServices.rtmp
        manifest.network = network
        change(&manifest)
        let service = Service(
            manifest: manifest, origin: .builtIn, bundle: nil, executable: FilePath(arguments[0]))
        var options = ChildProcess.Options()
        options.descriptors = [nil, nil, nil] + (descriptor.map { [FileDescriptor(rawValue: $0)] } ?? [])
        options.directory = "/"
        options.confinement = ChildProcess.Confinement()
        // The rules for root, which are narrower.
        options.confinement?.sandbox = try Sandbox(
            ServiceSandbox.rules(for: service, data: nil, isCounted: false, environment: [], user: 0))
        return try ChildProcess(
            executable: arguments[0], arguments: Array(arguments.dropFirst()), environment: [], options: options
        ).wait()
    }

    @Test(arguments: [["ahosts", "localhost"], ["services", "http"], ["protocols", "tcp"]])
    func `a service that connects can resolve names without a name service of its own`(question: [String]) throws {
        #expect(try run(["/usr/bin/getent"] + question, network: .connect) == .exited(status: 0))
    }

    @Test func `a service reads only what its rules name`() throws {
        #expect(try run(["/usr/bin/getent", "services", "http"], network: .none) != .exited(status: 0))
        #expect(try run(["/usr/bin/cat", "/etc/passwd"], network: .connect) == .exited(status: 1))
        // NetworkManager keeps passwords of networks there, which root can read.
        let service = Service(manifest: BuiltInServices.rtmp, origin: .builtIn, bundle: nil, executable: "/a")
        for (user, isWhole) in [(0, false), (1000, true)] as [(uid_t, Bool)] {
            let rules = try ServiceSandbox.rules(for: service, data: nil, isCounted: false, environment: [], user: user)
            #expect(rules.readable.contains("/run/NetworkManager") == isWhole)
        }
    }

    /// Perl is on every Debian. It says 1 where a call fails.
    private func run(
        perl program: String, network: ServiceManifest.Network = .connect, passing descriptor: Int32? = nil,
        _ change: (inout ServiceManifest) -> Void = { _ in }
    ) throws -> ChildProcess.Ending {
        try run(
            ["/usr/bin/perl", "-MSocket", "-e", "exit((\(program)) ? 0 : 1)"], network: network, passing: descriptor,
            change)
    }

    @Test func `only a service that says so binds UDP, and none another protocol`() throws {
        let udp = "socket(S, PF_INET, SOCK_DGRAM, 0) && bind(S, sockaddr_in(0, INADDR_ANY))"
        #expect(try run(perl: udp) == .exited(status: 1))
        #expect(try run(perl: udp) { $0.bindsUDP = true } == .exited(status: 0))
        #expect(try run(perl: udp, network: .none) == .exited(status: 1))
        // EPROTONOSUPPORT: programs that try MPTCP first fall back.
        let mptcp = "!socket(S, PF_INET, SOCK_STREAM, 262) && $! == 93 && socket(S, PF_INET, SOCK_STREAM, 6)"
        #expect(try run(perl: mptcp) { $0.bindsUDP = true } == .exited(status: 0))
        let sending = "socket(S, PF_INET, SOCK_DGRAM, 17) && send(S, 'x', 0, sockaddr_in(9, INADDR_LOOPBACK))"
        #expect(try run(perl: sending) == .exited(status: 0), "sending needs no bind")
    }

    @Test func `where sockets can be made, listening for one of its own does nothing`() throws {
        let listening = "socket(S, PF_INET, SOCK_STREAM, 0) && listen(S, 1)"
        let accepting = "\(listening) && !accept(C, S) && $! == 22"  // EINVAL: it does not listen
        #expect(try run(perl: listening) == .exited(status: 1))
        #expect(try run(perl: accepting) { $0.listen = "url" } == .exited(status: 0))
        #expect(try run(perl: accepting) { ($0.listen, $0.bindsUDP) = ("url", true) } == .exited(status: 0))
    }

    /// TCP Fast Open (tcp(7)) connects with the first bytes that are sent, and Landlock does not see it.
    @Test(arguments: ["connect(S, A)", "send(S, 'x', 0x20000000, A)"])
    func `a service that only serves connects nowhere with the socket that it is given`(call: String) throws {
        let (own, other) = (try Loopback.bind(listening: true), try Loopback.bind(listening: true))
        defer { for socket in [own, other] { close(socket.descriptor) } }
        let program =
            "open(S, '+<&=3') && shutdown(S, 0) && "
            + call.replacing("A)", with: "sockaddr_in(\(other.port), INADDR_LOOPBACK))") + " || $! != 1"  // EPERM
        let ending = try run(perl: program, network: .none, passing: own.descriptor) { $0.listen = "url" }
        #expect(ending == .exited(status: 1))
    }

    /// A home with a link to itself, and one to a directory of its own.
    private func withHome(_ body: (String, ReadablePaths) throws -> Void) throws {
        try TemporaryDirectory.with { directory in
            let home = try #require(directory.resolved).string
            for name in ["videos", ".config", ".config/kinecast"] { try #require(mkdir("\(home)/\(name)", 0o700) == 0) }
            try #require(symlink(home, "\(home)/itself") == 0 && symlink("videos", "\(home)/link") == 0)
            try #require(symlink("\(home)/.config/kinecast", "\(home)/settings") == 0)
            try body(home, ReadablePaths(user: 0) { $0 == "HOME" ? home : nil })
        }
    }

    @Test(arguments: [
        "/", "/dev", "/run", "/var/run", "/proc", "/proc/self/cwd", "/proc/self/root/home", "/dev/fd/3", "/dev/stdin",
        "/sys", "/tmp", "/var/tmp", "/var", "/etc", "/./etc//", "HOME", "HOME/.", "HOME/itself", "HOME/..HOME",
        "HOME/.config", "HOME/settings", "HOME/.config/kinecast/groups.json", "HOME/.local/share/kinecast/data/a/new",
        "HOME/.local/state", "HOME/.cache/kinecast", "HOME/itself/.config/kinecast",
    ])
    func `no service reads all of a home or a system, nor what Kinecast keeps`(path: String) throws {
        try withHome { home, paths in
            let above = FilePath(home).removingLastComponent().string
            let path = path.replacing("HOME/..HOME", with: above).replacing("HOME", with: home)
            #expect(throws: ServiceManifest.Problem.self, "\(path)") { try paths.resolve(["/usr/share", path]) }
        }
    }

    @Test func `a service reads files, and directories by where their links lead`() throws {
        try withHome { home, paths in
            let named = ["/dev/zero", "\(home)/videos", "\(home)/link", "\(home)/nothing", "/etc/hosts"]
            let places = try paths.resolve(named)
            #expect(places == ["/dev/zero", "\(home)/videos", "\(home)/videos", "/etc/hosts"])
            let all = try ReadablePaths(user: 1000) { $0 == "HOME" ? home : nil }.resolve(["/etc"])
            #expect(all == ["/etc"])
        }
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
        #expect(LoadingFailure(of: "/b/x", .exited(status: status), stderrTail: words) == failure)
        #expect(LoadingFailure(of: "/b/x", .killed(signal: 9), stderrTail: words) == nil)
    }
}
