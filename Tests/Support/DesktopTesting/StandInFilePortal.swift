// A desktop's portal for files, on a test's bus: real objects with the behaviour of xdg-desktop-portal.
import KineDesktop
import Synchronization

/// `org.freedesktop.portal.FileChooser`. The test is the person at its dialog.
package final class StandInFilePortal: Sendable {
    /// A dialog that is shown.
    package struct Dialog: Sendable, Equatable {
        package var request: String
        package var title: String
        package var options: [String: BusValue]
    }

    private final class Box: Sendable {
        let dialogs = Mutex<[Dialog]>([])
        let closed = Mutex<[String]>([])
    }

    private static let interface = "org.freedesktop.portal.FileChooser"
    private static let requestInterface = "org.freedesktop.portal.Request"
    private let box: Box
    private let service: BusService

    package init(_ bus: TestBus) throws {
        let box = Box()
        self.box = box
        service = try BusService(bus, name: StandInPortal.name, paths: [StandInPortal.path]) { call in
            Self.answer(call, box)
        }
    }

    /// The newest dialog.
    package var dialog: Dialog? { box.dialogs.withLock { $0.last } }

    /// The requests that were closed by the program that made them.
    package var closed: [String] { box.closed.withLock { $0 } }

    /// The person has chosen this address; nil: nothing.
    package func answer(_ address: String?) {
        guard let dialog = box.dialogs.withLock({ $0.popLast() }) else { return }
        service.emit(
            dialog.request, Self.requestInterface, "Response",
            [.uint32(address == nil ? 1 : 0), .properties(address.map { ["uris": .strings([$0])] } ?? [:])])
    }

    package func end() { service.end() }

    private static func answer(_ call: ReceivedCall, _ box: Box) -> Reply {
        switch (call.interface, call.member) {
        case ("org.freedesktop.DBus.Properties", "Get"):
            guard call.arguments == [.string(interface), .string("version")] else {
                return .error(name: "org.freedesktop.DBus.Error.InvalidArgs")
            }
            return .values([.variant(.uint32(4))])
        case (interface, "SaveFile"):
            guard call.arguments.map(\.type) == ["s", "s", "a{sv}"], let title = call.arguments[1].asString,
                let options = call.arguments[2].asProperties, let token = options["handle_token"]?.asString
            else { return .error(name: "org.freedesktop.portal.Error.InvalidArgument") }
            let sender = call.sender.dropFirst().replacing(".", with: "_")
            let path = "\(StandInPortal.path)/request/\(sender)/\(token)"
            box.dialogs.withLock { $0.append(Dialog(request: path, title: title, options: options)) }
            return .values([.objectPath(path)])
        case (requestInterface, "Close"):
            box.closed.withLock { $0.append(call.path) }
            box.dialogs.withLock { $0.removeAll { $0.request == call.path } }
            return .values([])
        default: return .error(name: "org.freedesktop.DBus.Error.UnknownMethod")
        }
    }
}
