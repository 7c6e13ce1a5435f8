// The socket on which an extension serves. The engine opens it, so that no other program gets the port during a
// restart, and the extension needs no right to open sockets. Linux.
import CLinux
import Glibc
import KineText
import SystemPackage

/// A bound, listening TCP socket. Connections wait in it while no extension runs.
final class ListeningSocket {
    private static let backlog: Int32 = 1024

    let descriptor: FileDescriptor
    /// Setup info that a confined extension cannot find itself: the address at which other machines reach this one.
    let setupInfo: [String: String]

    /// `text`: a `ListenAddress` without a host name, since a name server could block the engine. `setting` and
    /// `service` are for the error.
    init(at text: String, setting: String, service: String) throws(Error) {
        func error(_ cause: Errno?) -> Error {
            Error(address: text, setting: setting, service: service, cause: cause)
        }
        guard let address = ListenAddress(text), !address.isName else { throw error(nil) }
        do throws(Errno) { descriptor = try Self.open(address) } catch let cause { throw error(cause) }
        let host = address.isEverywhere ? Self.reachableAddress(among: Self.interfaces()) : nil
        setupInfo = host.map { ["reachableHost": $0] } ?? [:]
    }

    deinit { try? descriptor.close() }

    private static func open(_ place: ListenAddress) throws(Errno) -> FileDescriptor {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let host = place.host == "localhost" ? "127.0.0.1" : place.host
        guard getaddrinfo(host, String(place.port), &hints, &found) == 0, let address = found?.pointee else {
            throw .addressNotAvailable
        }
        defer { freeaddrinfo(found) }
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let fd = socket(address.ai_family, kind, 0)
        guard fd >= 0 else { throw Errno(rawValue: errno) }
        var on: Int32 = 1
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        guard bind(fd, address.ai_addr, address.ai_addrlen) == 0, listen(fd, backlog) == 0 else {
            let failure = Errno(rawValue: errno)
            close(fd)
            throw failure
        }
        return FileDescriptor(rawValue: fd)
    }

    /// An IPv4 address of this machine.
    struct Interface {
        var name: String
        /// netdevice(7).
        var flags: UInt32
        var address: String
    }

    /// The address at which other machines most likely reach this one; nil: none.
    static func reachableAddress(among interfaces: [Interface]) -> String? {
        // IFF_UP without IFF_LOOPBACK. Bridges of containers and virtual machines lead to these alone.
        let usable = interfaces.filter { interface in
            interface.flags & 0x9 == 0x1
                && !["127.", "169.254."].contains(where: interface.address.hasPrefix)
                && !["docker", "br-", "virbr", "lxcbr", "lxdbr", "podman", "cni", "vmnet", "vboxnet"]
                    .contains(where: interface.name.hasPrefix)
        }
        // IFF_POINTOPOINT is a tunnel. Without IFF_RUNNING no cable is plugged in.
        return (usable.first { $0.flags & 0x50 == 0x40 } ?? usable.first { $0.flags & 0x10 == 0 } ?? usable.first)?
            .address
    }

    private static func interfaces() -> [Interface] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [Interface] = []
        var next = list
        while let entry = next {
            next = entry.pointee.ifa_next
            guard let address = entry.pointee.ifa_addr, Int32(address.pointee.sa_family) == AF_INET else { continue }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            guard
                getnameinfo(
                    address, socklen_t(MemoryLayout<sockaddr_in>.size), &text, socklen_t(text.count), nil, 0,
                    NI_NUMERICHOST) == 0
            else { continue }
            let host = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            found.append(
                Interface(name: String(cString: entry.pointee.ifa_name), flags: entry.pointee.ifa_flags, address: host))
        }
        return found
    }
}
