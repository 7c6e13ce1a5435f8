// The socket on which the engine listens for an extension.
import CLinux
import CoreTesting
import Glibc
import SystemPackage
import Testing

@testable import KineSupervision

@Suite(.tags(.real)) struct ListeningSocketTests {
    @Test(arguments: ["[::1", "a:b", "127.0.0.1:70000", "a b:1", "name.example:80", "127.0.0.1.example"])
    func `what is no address is refused, and no name is looked up`(text: String) {
        let error = #expect(throws: ListeningSocket.Error.self) {
            try ListeningSocket(at: text, setting: "listen", service: "Live page")
        }
        #expect(
            error?.description.hasSuffix(
                ": set “listen” to an address and a port, such as 127.0.0.1:8080, 0.0.0.0:8080 or [::1]:8080.") == true)
    }

    @Test(arguments: ["", "localhost", "127.0.0.1:0", "0"]) func `this machine is listened on`(text: String) throws {
        let socket = try ListeningSocket(at: text, setting: "listen", service: "Live page")
        #expect(socket.setupInfo.isEmpty)
    }

    @Test func `a port that is taken is named, with what to do`() throws {
        let first = try ListeningSocket(at: "", setting: "listen", service: "Live page")
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = getsockname(first.descriptor.rawValue, $0, &length)
            }
        }
        let port = UInt16(bigEndian: address.sin_port)
        let error = #expect(throws: ListeningSocket.Error.self) {
            try ListeningSocket(at: ":\(port)", setting: "listen", service: "Live page")
        }
        #expect(error?.description.contains("something else listens there already; set “listen”") == true)
    }
}
