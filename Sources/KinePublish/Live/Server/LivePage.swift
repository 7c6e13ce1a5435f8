// The page's files, which SwiftPM embeds in the executable. They are the same for every broadcast; the page learns the rest, such
// as the title, from the stream.
import KineLive

/// The files that a browser is served besides the streams.
enum LivePage {
    struct File: Sendable {
        var bytes: [UInt8]
        /// The media type.
        var type: String
    }

    /// Nil where the resource is not a file.
    static func file(_ resource: RequestGate.Resource) -> File? {
        let script = "text/javascript; charset=utf-8"
        return switch resource {
        case .page: File(bytes: PackageResources.index_html, type: "text/html; charset=utf-8")
        case .script: File(bytes: PackageResources.page_js, type: script)
        case .webCodecs: File(bytes: PackageResources.webcodecs_js, type: script)
        case .mediaSource: File(bytes: PackageResources.mediasource_js, type: script)
        case .stream: File(bytes: PackageResources.stream_js, type: script)
        case .receiver: File(bytes: PackageResources.receiver_js, type: script)
        case .receiverThread: File(bytes: PackageResources.receiver_thread_js, type: script)
        case .audioPlayer: File(bytes: PackageResources.audioplayer_js, type: script)
        case .audio: File(bytes: PackageResources.audio_js, type: script)
        case .delay: File(bytes: PackageResources.delay_js, type: script)
        case .awake: File(bytes: PackageResources.awake_js, type: script)
        case .token: File(bytes: PackageResources.token_js, type: script)
        case .style: File(bytes: PackageResources.page_css, type: "text/css; charset=utf-8")
        case .icon: File(bytes: PackageResources.icon_svg, type: "image/svg+xml")
        case .movie, .samples, .state: nil
        }
    }
}
