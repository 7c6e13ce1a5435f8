// A private X server with private audio: its session is started first, and then it is a screen like any other.
import Glibc
import KineCapture
import KineControl
import KineMedia
import KinePlatform

struct VirtualKind: SourceKind {
    let size: PixelSize

    init?(_ source: TakeConfiguration.Source) {
        guard case .virtual(let size) = source else { return nil }
        self.size = size
    }

    func startSession(
        in directory: String, withAudio: Bool, _ cancellation: Cancellation
    ) throws(TakeError) -> (any SourceSession)? {
        do throws(VirtualSession.Error) {
            let session = try VirtualSession(
                size: size, directory: directory, withAudio: withAudio, cancellation: cancellation)
            // This process's own sources look at the private servers from here on.
            for entry in session.environment {
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
        ImmediateOpening { () throws(VideoSourceError) in
            try X11ScreenSource(.screen(monitor: nil), video, cancellation)
        }
    }

    var annotation: [String: String] { [SourceAnnotation.source: "virtual"] }

    static func check() -> DoctorCheck? {
        let missing = VirtualSession.programs.filter { ExecutableSearch.find($0.name) == nil }
        guard !missing.isEmpty else { return .passed("virtual", "Xvfb and PulseAudio are installed") }
        return .failed(
            "virtual", "--virtual needs \(missing.map(\.name).joined(separator: " and "))",
            remedy: "apt install \(missing.map(\.package).joined(separator: " "))")
    }
}

extension VirtualSession: SourceSession {}
