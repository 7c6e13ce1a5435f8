// How far an address reaches.
import KinePublisher
import Testing

@Suite struct AddressScopeTests {
    @Test(arguments: [
        ([127, 0, 0, 1], AddressScope.loopback), ([0, 0, 0, 0], .loopback), ([169, 254, 169, 254], .linkLocal),
        ([10, 1, 2, 3], .privateNetwork), ([172, 16, 0, 1], .privateNetwork), ([172, 32, 0, 1], .global),
        ([192, 168, 1, 1], .privateNetwork), ([100, 64, 0, 1], .privateNetwork), ([100, 128, 0, 1], .global),
        ([224, 0, 0, 1], .unusable), ([255, 255, 255, 255], .unusable), ([203, 0, 113, 5], .global), ([1], .unusable),
    ]) func `the scope of IPv4 addresses`(bytes: [UInt8], scope: AddressScope) {
        #expect(AddressScope(bytes) == scope)
    }

    @Test func `the scope of IPv6 addresses, and of IPv4 addresses within them`() {
        func scope(_ words: [UInt16]) -> AddressScope {
            AddressScope(words.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] })
        }
        #expect(scope([0, 0, 0, 0, 0, 0, 0, 1]) == .loopback && scope([0, 0, 0, 0, 0, 0, 0, 0]) == .loopback)
        #expect(
            scope([0xFE80, 0, 0, 0, 0, 0, 0, 1]) == .linkLocal && scope([0xFEBF, 0, 0, 0, 0, 0, 0, 1]) == .linkLocal)
        #expect(
            scope([0xFD00, 0, 0, 0, 0, 0, 0, 1]) == .privateNetwork
                && scope([0xFF02, 0, 0, 0, 0, 0, 0, 1]) == .unusable)
        #expect(scope([0x2001, 0xDB8, 0, 0, 0, 0, 0, 1]) == .global)
        // Mapped, NAT64 and 6to4 around 127.0.0.1 and 192.168.0.1.
        #expect(scope([0, 0, 0, 0, 0, 0xFFFF, 0x7F00, 1]) == .loopback)
        #expect(scope([0x64, 0xFF9B, 0, 0, 0, 0, 0xC0A8, 1]) == .privateNetwork)
        #expect(scope([0x2002, 0x7F00, 1, 0, 0, 0, 0, 1]) == .loopback)
        #expect(scope([0x64, 0xFF9B, 0, 0, 0, 0, 0xCB00, 0x7105]) == .global)
    }

    @Test func `narrower is less`() {
        #expect(AddressScope.loopback < .linkLocal && .linkLocal < .privateNetwork && .privateNetwork < .global)
    }
}
