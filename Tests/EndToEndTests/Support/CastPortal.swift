// A desktop that has to be asked: a portal's objects on a real bus, a real PipeWire, and a producer that casts known pictures there.
import CastTesting
import DesktopTesting
import KineMedia

/// The portal gives out a cast of a monitor.
final class CastPortal {
    static let size = PixelSize(width: 160, height: 96)
    let portal: StandInPortal
    let server: PrivatePipeWire
    private(set) var producer: CastProducer
    private let bus: TestBus

    init(_ change: (inout StandInPortal.Manner) -> Void = { _ in }) throws {
        bus = try TestBus()
        server = try PrivatePipeWire()
        producer = try CastProducer(on: server, size: Self.size)
        let (node, socket) = (producer.node, server.socket)
        portal = try StandInPortal(bus) {
            $0.node = node
            $0.connect = { try PrivatePipeWire.connect(to: socket) }
            change(&$0)
        }
    }

    /// Casts anew: a producer has one reader.
    func renewCast() throws {
        producer = try CastProducer(on: server, size: Self.size)
        let node = producer.node
        portal.change { $0.node = node }
    }

    var environment: [String] {
        ["DBUS_SESSION_BUS_ADDRESS=\(bus.address)"] + server.environment.map { "\($0.key)=\($0.value)" }
    }

    /// Starts a take of what is cast.
    func record(
        in place: TestPlace, _ options: [String] = [], _ variables: [String] = []
    ) throws -> RunningKinecast {
        try place.start(
            ["record", "a.mp4", "--overwrite", "--audio", "none", "--backend", "portal", "--json"] + options,
            environment + variables)
    }
}
