// The page's files, which SwiftPM has put into the executable. They are the same for every broadcast: what is its own, its title
// among it, the page learns from the stream.
import KineLive

/// What is served to a browser besides the streams.
enum LivePage {
    struct File: Sendable {
        var bytes: [UInt8]
        /// The media type.
        var type: String
    }

    /// Nil for what is no file.
    static func file(_ resource: RequestGate.Resource) -> File? {
        let script = "text/javascript; charset=utf-8"
        return switch resource {
        case .page: File(bytes: PackageResources.index_html, type: "text/html; charset=utf-8")
        case .script: File(bytes: PackageResources.page_js, type: script)
        case .decoding: File(bytes: PackageResources.webcodecs_js, type: script)
        case .buffering: File(bytes: PackageResources.mediasource_js, type: script)
        case .stream: File(bytes: PackageResources.stream_js, type: script)
        case .receiver: File(bytes: PackageResources.receiver_js, type: script)
        case .receiverThread: File(bytes: PackageResources.receiver_thread_js, type: script)
        case .hearing: File(bytes: PackageResources.soundplayer_js, type: script)
        case .sound: File(bytes: PackageResources.sound_js, type: script)
        case .delay: File(bytes: PackageResources.delay_js, type: script)
        case .awake: File(bytes: PackageResources.awake_js, type: script)
        case .keeping: File(bytes: PackageResources.token_js, type: script)
        case .style: File(bytes: PackageResources.page_css, type: "text/css; charset=utf-8")
        case .icon: File(bytes: PackageResources.icon_svg, type: "image/svg+xml")
        case .movie, .samples, .state: nil
        }
    }
}
