// The desktop's file manager on a real bus, with its object at the other end.
import CoreTesting
import DesktopTesting
import KineText
import Testing

@testable import KineDesktop

@Suite(.tags(.real)) struct FolderWindowTests {
    @Test func `a file whose name has any bytes is shown where a file manager is on the bus`() throws {
        let bus = try TestBus()
        let path = String(escaping: Array("/home/ü %".utf8) + [0xff])
        for address in [nil, "unix:path=/nowhere", bus.address] { #expect(!FolderWindow.show(path, bus: address)) }
        let (name, object) = ("org.freedesktop.FileManager1", "/org/freedesktop/FileManager1")
        let manager = try BusService(bus, name: name, paths: [object]) { call in
            call.arguments.first?.asStrings == ["file:///refused"]
                ? .error(name: "org.freedesktop.DBus.Error.Failed") : .values([])
        }
        defer { manager.end() }
        #expect(FolderWindow.show(path, bus: bus.address))
        #expect(!FolderWindow.show("/refused", bus: bus.address))
        #expect(manager.calls.map(\.member) == ["ShowItems", "ShowItems"])
        #expect(manager.calls.first?.arguments == [.strings(["file:///home/%C3%BC%20%25%FF"]), .string("")])
    }
}
