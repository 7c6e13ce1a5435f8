// Remembers the addresses of servers between look-ups, and provides them to NIO.
import KineRTMP
import NIOCore
import NIOPosix

extension NameLookUp.Name {
    init(_ url: RTMPURL) { self.init(host: url.host, port: url.port) }
}

/// The addresses of a few names: those that worked, and those of the last look-up.
struct AddressBook {
    private struct Entry {
        var worked: [SocketAddress] = []
        var found: [SocketAddress] = []
    }

    private static let limit = 8
    private var entries: [NameLookUp.Name: Entry] = [:]

    func worked(_ name: NameLookUp.Name) -> [SocketAddress] { entries[name]?.worked ?? [] }

    /// All known addresses, the one that worked last first.
    func candidates(_ name: NameLookUp.Name) -> [SocketAddress] {
        guard let entry = entries[name] else { return [] }
        return entry.worked + entry.found.filter { !entry.worked.contains($0) }
    }

    mutating func note(_ answer: NameLookUp.Answer, of name: NameLookUp.Name) {
        guard case .success(let addresses) = answer, !addresses.isEmpty else { return }
        change(name) { $0.found = addresses }
    }

    /// Notes that a server answers at this address.
    mutating func note(_ address: SocketAddress, of name: NameLookUp.Name) {
        change(name) { entry in
            entry.worked = [address] + entry.worked.filter { $0 != address && entry.found.contains($0) }
        }
    }

    /// Servers may redirect to ever more names, so a full book is emptied.
    private mutating func change(_ name: NameLookUp.Name, _ body: (inout Entry) -> Void) {
        if entries[name] == nil, entries.count >= Self.limit { entries.removeAll() }
        body(&entries[name, default: Entry()])
    }
}

extension SocketAddress {
    var scope: AddressScope {
        switch self {
        case .v4(let address): withUnsafeBytes(of: address.address.sin_addr) { AddressScope($0) }
        case .v6(let address): withUnsafeBytes(of: address.address.sin6_addr) { AddressScope($0) }
        case .unixDomainSocket: .unusable
        }
    }
}

/// A resolver for NIO that returns known addresses. NIO tries one after another (RFC 8305).
struct KnownAddresses: Resolver, Sendable {
    let addresses: [SocketAddress]
    let eventLoop: any EventLoop

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture(addresses.filter { $0.protocol == .inet })
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        eventLoop.makeSucceededFuture(addresses.filter { $0.protocol == .inet6 })
    }

    func cancelQueries() {}
}
