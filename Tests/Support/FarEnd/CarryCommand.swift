// The link: a network interface in each of two namespaces, and a delay between them.
import ArgumentParser
import CLinux
import Glibc
import KineMeasure
import KinePlatform
import SystemPackage

struct CarryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "carry", abstract: "Carries packets between two network namespaces, with a delay.",
        discussion: """
            Makes a TUN interface in the namespace in which it runs and another in that of the process --far, prints `ready`,
            and carries packets until it is killed, or until its standard input, a pipe, is closed. It sets no addresses.
            Needs the right to make interfaces.
            """)

    @Option(help: "A process in the other namespace.")
    var far: Int32

    @Option(help: "The name of the interface here.")
    var nearName: String

    @Option(help: "The name of the interface there.")
    var farName: String

    @Option(help: "Milliseconds that a packet takes, each way.")
    var delay: Int

    /// Packets that a router holds; more are lost.
    private static let longestQueue = 2000
    /// CLONE_NEWNET (linux/sched.h).
    private static let networkNamespace: Int32 = 0x4000_0000

    /// Packets on their way, the oldest first.
    private struct Line {
        private var packets: [(due: Int64, bytes: [UInt8])] = []
        private var head = 0

        var count: Int { packets.count - head }
        var due: Int64? { head < packets.count ? packets[head].due : nil }

        mutating func append(_ bytes: [UInt8], due: Int64) { packets.append((due, bytes)) }

        mutating func popFirst(until now: Int64) -> [UInt8]? {
            guard let due, due <= now else { return nil }
            defer {
                head += 1
                if head > 256 {
                    packets.removeFirst(head)
                    head = 0
                }
            }
            return packets[head].bytes
        }
    }

    func run() throws {
        let near = try Self.interface(nearName)
        let path = "/proc/\(far)/ns/net"
        let namespace = open(path, O_RDONLY | O_CLOEXEC)
        guard namespace >= 0, setns(namespace, Self.networkNamespace) == 0 else {
            throw Tool.Error.system(doing: "Entering the network namespace \(path)", Errno(rawValue: errno))
        }
        let ends = [near, try Self.interface(farName)]
        _ = try FileDescriptor.standardOutput.writeAll("ready\n".utf8)
        var lines = [Line(), Line()]
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            var entries = ends.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            // poll reports a hang-up even without a requested event.
            entries.append(pollfd(fd: STDIN_FILENO, events: 0, revents: 0))
            WakeSignal.poll(&entries, until: lines.compactMap(\.due).min())
            if entries[ends.count].revents & Int16(POLLHUP) != 0 { return }
            let now = MonotonicClock.now()
            for (end, entry) in zip(ends.indices, entries) where entry.revents != 0 {
                let count = read(ends[end], &buffer, buffer.count)
                guard count > 0, lines[end].count < Self.longestQueue else { continue }
                lines[end].append(Array(buffer[..<count]), due: now + Int64(delay) * 1_000_000)
            }
            for end in ends.indices {
                while let packet = lines[end].popFirst(until: now) {
                    // The packet is lost if the interface is down, as on a real link.
                    _ = packet.withUnsafeBytes { write(ends[1 - end], $0.baseAddress, $0.count) }
                }
            }
        }
    }

    /// A TUN interface in the present namespace, for as long as the descriptor is open.
    private static func interface(_ name: String) throws -> Int32 {
        let descriptor = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw Tool.Error.system(
                doing: "Opening /dev/net/tun, which needs root or a rule that lets this user,", Errno(rawValue: errno))
        }
        // struct ifreq (netdevice(7)): sixteen bytes of name, then the flags IFF_TUN | IFF_NO_PI (linux/if_tun.h).
        var request = [UInt8](repeating: 0, count: 40)
        for (index, byte) in name.utf8.prefix(15).enumerated() { request[index] = byte }
        let flags: UInt16 = 0x0001 | 0x1000
        request[16] = UInt8(truncatingIfNeeded: flags)
        request[17] = UInt8(truncatingIfNeeded: flags >> 8)
        let setInterface: UInt = 0x4004_54ca  // TUNSETIFF
        guard request.withUnsafeMutableBytes({ ioctl(descriptor, setInterface, $0.baseAddress!) }) == 0 else {
            throw Tool.Error.system(doing: "Making the interface \(name)", Errno(rawValue: errno))
        }
        return descriptor
    }
}
