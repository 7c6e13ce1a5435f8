// A private X server or compositor with private audio: starts its session, then captures it like any other screen.
import Glibc
import KineCapture
import KineMedia
import KinePlatform
import KineTake
import KineWayland
import KineX11

struct VirtualKind: SourceKind {
    let display: VirtualSession.Display
    let size: PixelSize

    init(_ display: VirtualSession.Display, _ size: PixelSize) { (self.display, self.size) = (display, size) }

    init?(_ request: SourceRequest) {
        switch request.source {
        case .virtual(let size): (self.display, self.size) = (.x11, size)
        case .virtualWayland(let size): (self.display, self.size) = (.wayland, size)
        default: return nil
        }
    }

    func startSession(
        in directory: String, withAudio: Bool, _ cancellation: Cancellation
    ) throws(TakeError) -> VirtualSession? {
        do throws(VirtualSession.Error) {
            let session = try VirtualSession(
                display, size: size, directory: directory, withAudio: withAudio, cancellation: cancellation)
            // From here on, this process's own sources use the private servers.
            for entry in session.sourceEnvironment {
                let name = entry.prefix { $0 != "=" }
                setenv(String(name), String(entry.dropFirst(name.count + 1)), 1)
            }
            return session
        } catch {
            throw .virtualSession(error)
        }
    }

    func open(
        _ video: TakeConfiguration.Video, _ cancellation: Cancellation
    ) throws(VideoSourceError) -> any VideoSourceOpening {
        switch display {
        case .x11:
            return ImmediateOpening { () throws(VideoSourceError) in
                try X11ScreenSource(.screen(monitor: nil), video, isPrivate: true, cancellation)
            }
        case .wayland:
            return try WaylandScreenOpening(
                .desktop, display: ProcessEnvironment.value("WAYLAND_DISPLAY") ?? "", video)
        }
    }

    var annotation: [String: String] { [SourceAnnotation.source: "virtual"] }
    var isPrivate: Bool { true }

    static func check() -> DoctorCheck? {
        func missing(_ display: VirtualSession.Display) -> [(name: String, package: String)] {
            VirtualSession.programs(for: display).filter { ExecutableSearch.find($0.name) == nil }
        }
        let lacks = missing(.wayland)
        let missing = missing(.x11)
        guard !missing.isEmpty else {
            func names(_ display: VirtualSession.Display) -> String {
                VirtualSession.programs(for: display).map(\.name).joined(separator: ", ")
            }
            return .passed(
                "virtual",
                "\(names(.x11)) are installed"
                    + (lacks.isEmpty
                        ? ", and for Wayland \(names(.wayland))"
                        : "; --virtual wayland:WxH needs Debian's \(lacks.map(\.package).joined(separator: ", ")) too"))
        }
        return .failed(
            "virtual", "--virtual needs \(missing.map(\.name).joined(separator: " and "))",
            remedy: "apt install \(missing.map(\.package).joined(separator: " "))")
    }
}
