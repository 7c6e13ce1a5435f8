// Two machines and the line between them, made of network namespaces: what a bad network does to a broadcast can be tried without
// harming the machine's own.
import CLinux
import Glibc
import SystemPackage

/// A publisher's machine and a server's. Gone with this object. Used by one thread.
public final class TestNetwork {
    /// One sentence.
    public struct Error: Swift.Error, CustomStringConvertible {
        public let description: String

        init(doing what: String, _ reason: String) {
            let end = reason.hasSuffix(".") ? "" : "."
            description =
                "The test's own network could not be made, at “\(what)”: \(reason)\(end) It needs the packages iproute2 "
                + "and nftables, and root or a user who may make namespaces (sysctl user.max_user_namespaces)."
        }
    }

    public enum Machine: Sendable {
        case publisher
        case server
    }

    public static let serverAddress = "10.77.0.2"
    private static let publisherAddress = "10.77.0.1"

    private let publisher: NetworkNamespace
    private let server: NetworkNamespace
    /// Carries packets where they are to be late.
    private let carrier: HeldProcess?
    private let interface = "line0"

    /// - Parameters:
    ///   - delayMilliseconds: that a packet is on its way, each way.
    ///   - folder: with this package's executables; needed where there is a delay.
    public init(delayMilliseconds: Int = 0, executables folder: String) throws {
        publisher = try NetworkNamespace()
        server = try NetworkNamespace(beside: publisher)
        if delayMilliseconds > 0 {
            carrier = try Self.carry(
                from: publisher, to: server, milliseconds: delayMilliseconds, by: "\(folder)/kinecast-farend")
        } else {
            carrier = nil
            try publisher.run(
                "ip",
                ["link", "add", "line0", "type", "veth", "peer", "name", "line1", "netns", "\(server.process)"])
            // Packets as they would be on a wire: one that is lost must not be forty.
            try publisher.run("ip", ["link", "set", "line0", "gso_max_segs", "1"])
            try server.run("ip", ["link", "set", "line1", "gso_max_segs", "1"])
        }
        for (namespace, name, own, peer) in [
            (publisher, "line0", Self.publisherAddress, Self.serverAddress),
            (server, "line1", Self.serverAddress, Self.publisherAddress),
        ] {
            try namespace.run("ip", ["address", "add", own, "peer", "\(peer)/32", "dev", name])
            try namespace.run("ip", ["link", "set", name, "up"])
            try namespace.run("ip", ["link", "set", "lo", "up"])
            try namespace.run("nft", ["add", "table", "ip", "faults"])
            try namespace.run(
                "nft", ["add", "chain", "ip", "faults", "arriving", "{ type filter hook input priority 0; }"])
        }
    }

    /// The program and the arguments that run a command on one of the machines. It keeps the process's id.
    public func command(
        on machine: Machine, _ executable: String, _ arguments: [String]
    ) throws -> (executable: String, arguments: [String]) {
        let words = (machine == .publisher ? publisher : server).entering + [executable] + arguments
        return (try Tool.path(of: words[0]), Array(words.dropFirst()))
    }

    /// Lets the calling thread, and what it starts and connects meanwhile, be on one of the machines. Only root may do this.
    public func within<Result>(_ machine: Machine, _ body: () throws -> Result) throws -> Result {
        // sched.h has it as a macro.
        let networkNamespace: Int32 = 0x4000_0000
        let holder = (machine == .publisher ? publisher : server).process
        let files = try ["thread-self", "\(holder)"].map { name in
            try FileDescriptor.open("/proc/\(name)/ns/net", .readOnly, options: .closeOnExec)
        }
        defer { for file in files { try? file.close() } }
        guard setns(files[1].rawValue, networkNamespace) == 0 else {
            throw Error(doing: "entering a network namespace", String(cString: strerror(errno)))
        }
        defer { setns(files[0].rawValue, networkNamespace) }
        return try body()
    }

    // MARK: Faults

    /// Of all packets, so many of a hundred are lost at random, each way; 0: none.
    public func lose(percent: Int) throws { try drop(percent == 0 ? nil : "numgen random mod 100 < \(percent)") }

    /// Everything is lost, and nothing says so: what happens where a router behind the first one fails.
    public func swallow(_ isOn: Bool) throws { try drop(isOn ? "" : nil) }

    private func drop(_ which: String?) throws {
        for namespace in [publisher, server] {
            try namespace.run("nft", ["flush", "chain", "ip", "faults", "arriving"])
            if let which {
                try namespace.run("nft", ["add", "rule", "ip", "faults", "arriving", "\(which) drop"])
            }
        }
    }

    /// The publisher's line takes no more than so many bits a second, and holds 0.3 s of them; nil: as many as come.
    public func limit(bitsPerSecond: Int?) throws {
        if let bitsPerSecond {
            try publisher.run(
                "tc",
                [
                    "qdisc", "replace", "dev", interface, "root", "tbf", "rate", "\(bitsPerSecond)bit", "burst", "16kb",
                    "latency", "300ms",
                ])
        } else {
            try publisher.run("tc", ["qdisc", "delete", "dev", interface, "root"])
        }
    }

    /// The publisher's own interface goes down, or comes up.
    public func setLink(up isUp: Bool) throws {
        try publisher.run("ip", ["link", "set", interface, isUp ? "up" : "down"])
    }

    /// How many of its segments the publisher's machine has sent again so far: RetransSegs of RFC 4022, as /proc/net/snmp has it.
    public func resentSegments() throws -> Int {
        // A line of names, and below it a line of values.
        let lines = try publisher.run("cat", ["/proc/net/snmp"]).split(separator: "\n")
            .filter { $0.hasPrefix("Tcp:") }.map { $0.split(separator: " ") }
        guard lines.count == 2, let column = lines[0].firstIndex(of: "RetransSegs"), column < lines[1].count,
            let count = Int(lines[1][column])
        else { throw Error(doing: "reading /proc/net/snmp", "it does not say what was sent again") }
        return count
    }

    /// TUN interfaces in both namespaces, and a process that carries packets between them.
    private static func carry(
        from near: NetworkNamespace, to far: NetworkNamespace, milliseconds: Int, by executable: String
    ) throws -> HeldProcess {
        let command =
            near.entering + [
                executable, "carry", "--far", "\(far.process)", "--near-name", "line0", "--far-name", "line1",
                "--delay", "\(milliseconds)",
            ]
        do {
            return try HeldProcess(command[0], Array(command.dropFirst()), ready: "ready")
        } catch {
            throw Error(doing: command.joined(separator: " "), "\(error)")
        }
    }
}

/// A network of its own for the programs that are started in it, which lasts as long as a process that does nothing else: nothing of it
/// is left when its maker dies. Made by root, or by a user who may make namespaces.
final class NetworkNamespace {
    private let holder: HeldProcess
    private static let isRoot = geteuid() == 0

    var process: Int32 { holder.process.pid }

    /// - Parameter owner: for a user who is not root, whose user namespace the new one belongs to.
    init(beside owner: NetworkNamespace? = nil) throws {
        let shell = ["sh", "-c", "echo ready; exec cat"]
        let command: [String]
        if Self.isRoot {
            command = ["unshare", "--net"] + shell
        } else if let owner {
            command = owner.entering + ["unshare", "--net"] + shell
        } else {
            command = ["unshare", "--user", "--map-root-user", "--net"] + shell
        }
        do {
            holder = try HeldProcess(command[0], Array(command.dropFirst()), ready: "ready")
        } catch {
            throw TestNetwork.Error(doing: command.joined(separator: " "), "\(error)")
        }
    }

    /// The words before a command that bring it in here. The command keeps the process's id.
    var entering: [String] {
        ["nsenter", "--target", "\(process)", "--net"] + (Self.isRoot ? [] : ["--user", "--preserve-credentials"])
            + ["--"]
    }

    /// Runs a tool in here. Returns what it prints.
    @discardableResult
    func run(_ tool: String, _ arguments: [String]) throws -> String {
        let command = entering + [try Tool.path(of: tool)] + arguments
        do {
            return try Tool.output(command[0], Array(command.dropFirst()))
        } catch {
            throw TestNetwork.Error(doing: ([tool] + arguments).joined(separator: " "), "\(error)")
        }
    }
}
