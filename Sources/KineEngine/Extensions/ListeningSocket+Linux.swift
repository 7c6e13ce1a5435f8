// The socket on which an extension serves: opened by the engine and passed on, so that nobody can take the port while the
// extension is started again, and the extension itself needs no right to open any. Linux.
import CLinux
import Glibc
import KinePlatform
import SystemPackage

/// A bound TCP socket that listens. Connections wait in it while no extension runs.
final class ListeningSocket {
    /// Why there is none. One sentence.
    struct Error: Swift.Error, CustomStringConvertible {
        let description: String
    }

    private static let backlog: Int32 = 1024

    let descriptor: FileDescriptor
    /// What an extension that may ask for nothing cannot find out: by what address other machines reach this one.
    let setupInfo: [String: String]

    /// `text`: a `ListenAddress` that is no name, which would hold the engine up for as long as a name server takes. `setting`
    /// and `service` are for the message.
    init(at text: String, setting: String, service: String) throws(Error) {
        let prefix = "\(service) cannot listen on “\(text.printable(limit: 100))”"
        guard let address = ListenAddress(text), !address.isName else {
            throw Error(
                description:
                    "\(prefix): set “\(setting)” to an address and a port, such as 127.0.0.1:8080, 0.0.0.0:8080 or "
                    + "[::1]:8080.")
        }
        switch Self.open(address) {
        case .success(let socket): descriptor = socket
        case .failure(let errno):
            let reason =
                switch errno {
                case .addressInUse:
                    "something else listens there already; set “\(setting)” to another port, or to none for a free one"
                case .permissionDenied: "ports below 1024 are for root; set “\(setting)” to a port above"
                case .addressNotAvailable, .noSuchAddressOrDevice:
                    "this machine has no such address; set “\(setting)” to one of its own, or to 0.0.0.0 for all"
                default: "\(errno); set “\(setting)” to another address"
                }
            throw Error(description: "\(prefix): \(reason).")
        }
        setupInfo = address.isEverywhere ? Self.reachableAddress().map { ["reachableHost": $0] } ?? [:] : [:]
    }

    deinit { try? descriptor.close() }

    private static func open(_ place: ListenAddress) -> Result<FileDescriptor, Errno> {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let host = place.host == "localhost" ? "127.0.0.1" : place.host
        guard getaddrinfo(host, String(place.port), &hints, &found) == 0, let address = found?.pointee else {
            return .failure(.addressNotAvailable)
        }
        defer { freeaddrinfo(found) }
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let fd = socket(address.ai_family, kind, 0)
        guard fd >= 0 else { return .failure(Errno(rawValue: errno)) }
        var on: Int32 = 1
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        guard bind(fd, address.ai_addr, address.ai_addrlen) == 0, listen(fd, backlog) == 0 else {
            let failure = Errno(rawValue: errno)
            close(fd)
            return .failure(failure)
        }
        return .success(FileDescriptor(rawValue: fd))
    }

    /// The machine's first IPv4 address that others can use.
    private static func reachableAddress() -> String? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        defer { freeifaddrs(list) }
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
            if !host.hasPrefix("127."), !host.hasPrefix("169.254.") { return host }
        }
        return nil
    }
}
