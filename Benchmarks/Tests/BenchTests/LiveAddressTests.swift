// What the benches read from a link and from a file's times.
import Testing

@testable import kinecast_bench

@Suite struct LiveAddressTests {
    @Test(arguments: ["http", "https"])
    func `a link leads to its stream`(scheme: String) throws {
        let address = try #require(LiveAddress(link: "\(scheme)://127.0.0.1:4321/#abc"))
        #expect(address.request.hasPrefix("GET /live.mp4 ") && address.request.contains("Kinecast-Token: abc\r\n"))
        #expect(address.port == 4321 && address.isEncrypted == (scheme == "https"))
        #expect(address.host == "127.0.0.1:4321")
    }

    @Test(arguments: [
        "", "http://127.0.0.1:1/", "http://127.0.0.1:1/#", "http://example.org/#a", "http://127.0.0.1/#a",
        "http://127.0.0.1:x/#a", "ftp://127.0.0.1:1/#a",
    ])
    func `an address that is no link of this machine is refused`(link: String) {
        #expect(LiveAddress(link: link) == nil)
    }

    @Test func `times that the grid moved are known by themselves`() {
        // Half a frame before the third and the 600th frame, and 12 µs.
        #expect(MeterAccount.movedFrame(41_678_666, 60) == 3)
        #expect(MeterAccount.movedFrame(9_991_678_666, 60) == 600)
        #expect(MeterAccount.movedFrame(41_678_667, 60) == nil)
        #expect(MeterAccount.movedFrame(50_000_000, 60) == nil)
        #expect(MeterAccount.movedFrame(0, 60) == nil)
    }
}
