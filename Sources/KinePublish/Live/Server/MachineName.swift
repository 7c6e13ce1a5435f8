// Finds the name by which other machines reach this one.
import KinePlatform
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension LiveServer {
    /// The host for the link: the address that the server listens on, or, where it listens on all of them, the machine's first address
    /// that others can use.
    static func reachableName(_ settings: LiveSettings) -> String {
        guard settings.listen.isEverywhere else { return settings.listen.host }
        if let known = settings.reachableHost { return known }
        let addresses = (try? System.enumerateDevices())?.compactMap(\.address) ?? []
        let usable = addresses.compactMap { address -> String? in
            guard case .v4 = address, let text = address.ipAddress, !text.hasPrefix("127."), !text.hasPrefix("169.254.")
            else { return nil }
            return text
        }
        return usable.first ?? machineName ?? "127.0.0.1"
    }

    /// The machine's own name in lower case; nil where it has none.
    static var machineName: String? {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return nil }
        let name = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return name.isEmpty ? nil : name.lowercased()
    }
}
