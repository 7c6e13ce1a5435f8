// The kernel's messages about links, addresses and routes (rtnetlink(7)) that matter to a publisher.

/// Messages with a length and a type each, in native byte order (netlink(7)).
enum RouteMessages {
    private static let newLink: UInt16 = 16
    private static let newAddress: UInt16 = 20
    private static let newRoute: UInt16 = 24
    /// IFF_LOWER_UP: the cable is plugged in, or the radio is associated.
    private static let hasSignal: UInt32 = 1 << 16

    /// Whether there is a new link, address or route that can carry a connection. A truncated message is ignored.
    static func announceNetwork(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var at = 0
        while at + 16 <= bytes.count {
            let length = Int(bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self))
            guard length >= 16, at + length <= bytes.count else { return false }
            switch bytes.loadUnaligned(fromByteOffset: at + 4, as: UInt16.self) {
            case newAddress, newRoute: return true
            case newLink where length >= 28:
                // The flags are eight bytes into struct ifinfomsg, which follows the 16-byte header.
                if bytes.loadUnaligned(fromByteOffset: at + 24, as: UInt32.self) & hasSignal != 0 { return true }
            default: break
            }
            at += (length + 3) & ~3
        }
        return false
    }
}
