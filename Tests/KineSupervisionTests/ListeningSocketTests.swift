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

    @Test func `a link names the address that other machines reach, not a container's or a tunnel's`() {
        typealias Interface = ListeningSocket.Interface
        // IFF_UP, IFF_LOOPBACK, IFF_POINTOPOINT and IFF_RUNNING (netdevice(7)).
        let (up, loopback, tunnel, running): (UInt32, UInt32, UInt32, UInt32) = (0x1, 0x8, 0x10, 0x40)
        let own = Interface(name: "lo", flags: up | loopback | running, address: "127.0.0.1")
        let moved = Interface(name: "lo", flags: up | loopback | running, address: "192.0.2.9")
        let docker = Interface(name: "docker0", flags: up | running, address: "172.17.0.1")
        let compose = Interface(name: "br-0a1b2c", flags: up | running, address: "172.18.0.1")
        let vpn = Interface(name: "wg0", flags: up | tunnel | running, address: "10.8.0.2")
        let off = Interface(name: "eth1", flags: running, address: "192.0.2.7")
        let unplugged = Interface(name: "eth0", flags: up, address: "192.0.2.5")
        let lost = Interface(name: "wlan1", flags: up | running, address: "169.254.3.4")
        let wireless = Interface(name: "wlan0", flags: up | running, address: "192.0.2.6")
        let all = [own, moved, docker, compose, vpn, off, unplugged, lost, wireless]
        #expect(ListeningSocket.reachableAddress(among: all) == "192.0.2.6")
        #expect(ListeningSocket.reachableAddress(among: Array(all.dropLast())) == "192.0.2.5")
        #expect(ListeningSocket.reachableAddress(among: [own, docker, vpn]) == "10.8.0.2")
        #expect(ListeningSocket.reachableAddress(among: [own, moved, docker, compose, off, lost]) == nil)
        // A bridge to the network is one, whatever its name begins with.
        let bridge = Interface(name: "br0", flags: up | running, address: "192.0.2.8")
        #expect(ListeningSocket.reachableAddress(among: [docker, bridge]) == "192.0.2.8")
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
        #expect(error.flatMap { ExtensionProcess.StartError.notListening($0).problem }?.name == "addressInUse")
    }
}
