// The scope of an IP address. A server may redirect its publisher, but not to addresses that only this machine or its
// network can reach.

/// From the narrowest to the widest (RFC 6890).
public enum AddressScope: Int, Comparable, Hashable, Sendable {
    /// Not a host's address: multicast, broadcast, reserved.
    case unusable
    /// This machine.
    case loopback
    /// This link. Clouds serve credentials there.
    case linkLocal
    /// A private network.
    case privateNetwork
    case global

    public static func < (a: AddressScope, b: AddressScope) -> Bool { a.rawValue < b.rawValue }

    /// - Parameter bytes: 4 of IPv4, or 16 of IPv6, in network order.
    public init(_ bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        switch bytes.count {
        case 4: self = Self.version4(bytes)
        case 16: self = Self.version6(bytes)
        default: self = .unusable
        }
    }

    private static func version4(_ b: [UInt8]) -> AddressScope {
        switch (b[0], b[1]) {
        // 0.0.0.0 connects to this machine.
        case (0, _), (127, _): .loopback
        case (169, 254): .linkLocal
        // RFC 1918; RFC 6598, shared by a carrier's customers; RFC 2544, for benchmarks.
        case (10, _), (172, 16...31), (192, 168), (100, 64...127), (198, 18...19): .privateNetwork
        case (192, 0) where b[2] == 0: .unusable
        case (224..., _): .unusable
        default: .global
        }
    }

    private static func version6(_ b: [UInt8]) -> AddressScope {
        let isZero = { (range: Range<Int>) in b[range].allSatisfy { $0 == 0 } }
        if isZero(0..<15), b[15] <= 1 { return .loopback }
        // An embedded IPv4 address decides: mapped and compatible (RFC 4291), NAT64 (RFC 6052, 8215), 6to4 (RFC 3056).
        if isZero(0..<10), b[10] == 0xFF, b[11] == 0xFF { return version4(Array(b[12...])) }
        if isZero(0..<12) { return version4(Array(b[12...])) }
        if b.starts(with: [0, 0x64, 0xFF, 0x9B]) { return min(version4(Array(b[12...])), translated(b)) }
        if b.starts(with: [0x20, 0x02]) { return version4(Array(b[2..<6])) }
        switch (b[0], b[1]) {
        case (0xFE, 0x80...0xBF): return .linkLocal
        // Unique local (RFC 4193), and site-local, its predecessor.
        case (0xFC...0xFD, _), (0xFE, 0xC0...0xFF): return .privateNetwork
        case (0xFF, _): return .unusable
        default: return .global
        }
    }

    /// The well-known NAT64 prefix is global; the local-use one belongs to a network.
    private static func translated(_ b: [UInt8]) -> AddressScope {
        b[4..<12].allSatisfy { $0 == 0 } ? .global : .privateNetwork
    }
}
