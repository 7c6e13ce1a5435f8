// The built-in extensions `rtmp`, `youtube` and `twitch`: what a broadcast to an RTMP server, and the check of one, have of
// their own.
import KineBroadcast
import KinePublish
import KinePublisher
import KineRTMP
import KineWire
import KinecastExtension

struct RTMPDestination: PublisherDestination {
    static let services = ["rtmp", "youtube", "twitch"]
    static let protocolName = "RTMP"
    static let carriesSeparateAudio = false

    private let settings: RTMPSettings

    init(setupInfo: [String: String]) throws {
        var settings = try RTMPSettings(setupInfo: setupInfo)
        settings.certificateAuthorityContents = PassedFiles.contents(for: "ca-file")
        self.settings = settings
    }

    var address: String { settings.url.description }

    func publisher(of stream: PublishedStream, observe: @escaping @Sendable (PublisherEvent) -> Void) -> RTMPPublisher {
        let video = stream.video.map {
            RTMPStreamFormat.Video($0, framesPerSecond: stream.framesPerSecond, bitrate: stream.bitrate)
        }
        return RTMPPublisher(settings, format: RTMPStreamFormat(video: video, audio: stream.audio.first)) {
            observe(PublisherEvent($0))
        }
    }

    func check() async throws -> DestinationReport {
        let check = try await RTMPCheck.run(settings)
        var report = DestinationReport()
        report.server = check.server
        report.address = check.address
        report.tls = check.tls
        report.certificate = check.certificate.isEmpty ? nil : check.certificate.joined(separator: ", ")
        report.roundTrip = check.roundTrip
        report.duration = check.duration
        return report
    }
}
