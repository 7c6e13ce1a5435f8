// The next address of a name that has several: behind one of them was a server that took the connection and nothing more.
import KineRTMP
import NIOCore
import NIOPosix

/// Resolves one name once, in an order by chance, and leaves one address out where there are others.
struct OtherAddresses: Resolver, Sendable {
    private let addresses: EventLoopFuture<(v6: [SocketAddress], v4: [SocketAddress])>
    private let names: NIORandomizedDNSResolver

    init(of url: RTMPURL, than avoided: SocketAddress, on eventLoop: any EventLoop) {
        names = NIORandomizedDNSResolver(loop: eventLoop)
        addresses = names.initiateAAAAQuery(host: url.host, port: url.port)
            .and(names.initiateAQuery(host: url.host, port: url.port))
            .map { Self.others(than: avoided, v6: $0, v4: $1) }
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { addresses.map(\.v4) }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> { addresses.map(\.v6) }

    func cancelQueries() { names.cancelQueries() }

    static func others(
        than avoided: SocketAddress, v6: [SocketAddress], v4: [SocketAddress]
    ) -> (v6: [SocketAddress], v4: [SocketAddress]) {
        let others = (v6: v6.filter { $0 != avoided }, v4: v4.filter { $0 != avoided })
        return others.v6.isEmpty && others.v4.isEmpty ? (v6, v4) : others
    }
}
