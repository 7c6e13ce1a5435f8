// The services that come with Kinecast. They have no bundle; their executables are beside the engine's.
import KineMedia

/// The services that are always installed.
public enum BuiltInServices {
    private typealias Field = ServiceManifest.SetupField

    /// In the order of lists.
    public static let manifests: [ServiceManifest] = [live, youtube, twitch, rtmp]

    /// One executable for all; its argument is the service's id.
    private static let executable = "kinecast-publish"

    /// The page that Kinecast itself serves.
    public static var live: ServiceManifest {
        var manifest = ServiceManifest(id: "live", name: "Live page", executable: executable)
        manifest.video = .encoded(codecs: [.h264], keyframeInterval: 2, expecting: .init(followsFormat: true))
        manifest.appAudio = .aac
        manifest.micAudio = .aac
        manifest.network = .none
        manifest.listen = "listen"
        var publicURL = Field(
            key: ServiceManifest.publicURLKey, title: "Public address of a name, a proxy or a tunnel", isAdvanced: true)
        publicURL.kind = .text(.init(format: .page))
        publicURL.hint = "The link begins with it. It needs a port in the address to serve at."
        manifest.setup = [
            Field(key: "title", title: "Title of the page"),
            Field(
                key: "listen",
                title: "Address to serve at, ADDRESS:PORT or PORT; 127.0.0.1 and a free port if not given",
                isAdvanced: true),
            Field(
                key: "tls-cert", title: "File with the TLS certificate and its chain, PEM", isFile: true,
                isAdvanced: true),
            Field(
                key: "tls-key", title: "File with the certificate's private key, PEM", isFile: true, isAdvanced: true),
            publicURL,
            Field(
                key: "player-link", title: "yes for a second link, for players that need a plain address",
                isAdvanced: true),
        ]
        return manifest
    }

    /// Pushes to YouTube. docs/rtmp.md says where this address and Twitch's come from.
    public static var youtube: ServiceManifest {
        publisher(
            id: "youtube", name: "YouTube", server: "rtmps://a.rtmps.youtube.com/live2",
            hint: "In YouTube Studio: Create, Go live, Stream.")
    }

    /// Pushes to Twitch.
    public static var twitch: ServiceManifest {
        publisher(
            id: "twitch", name: "Twitch", server: "rtmps://ingest.global-contribute.live-video.net/app",
            hint: "In Twitch's Creator Dashboard: Settings, Stream.")
    }

    /// Pushes to any RTMP server.
    public static var rtmp: ServiceManifest {
        var manifest = publisher(id: "rtmp", name: "RTMP")
        manifest.urlSchemes = ["rtmp", "rtmps"]
        return manifest
    }

    /// - Parameters:
    ///   - server: nil: the person has to name one.
    ///   - hint: where the person finds the key.
    private static func publisher(
        id: String, name: String, server: String? = nil, hint: String? = nil
    ) -> ServiceManifest {
        var manifest = ServiceManifest(id: id, name: name, executable: executable)
        // Ingest servers cut fragments at keyframes and expect one every two seconds. They expect a usual bitrate for
        // the size; one frame a second looks stalled. nginx-rtmp refuses messages over 1 MiB with headers.
        manifest.video = .encoded(
            codecs: [.h264], keyframeInterval: 2,
            expecting: .init(
                maximumBitrate: 6_000_000, maximumAccessUnit: (1 << 20) - 1024, stillFramesPerSecond: 5,
                followsFormat: true))
        manifest.appAudio = .aac
        manifest.micAudio = .aac
        manifest.hasServerAndKey = true
        manifest.hasCheck = true
        // Sending the waiting samples may take 5 seconds; then the stream is closed.
        manifest.finishSeconds = 7
        var place = Field(
            key: Service.serverKey, title: "Server", isRequired: server == nil, isAdvanced: server != nil,
            defaultValue: server)
        place.kind = .text(.init(format: .server))
        if server == nil { place.hint = "rtmp://HOST/APPLICATION, or rtmps:// for an encrypted connection." }
        var key = Field(key: Service.streamKey, title: "Stream key", isRequired: true, isSecret: true)
        key.kind = .text(.init(format: .key))
        key.hint = hint
        manifest.setup = [
            place, key,
            Field(
                key: "ca-file", title: "File with certificates to trust beside the system's, PEM", isFile: true,
                isAdvanced: true),
            Field(
                key: "max-reconnects", title: "Attempts in a row to connect again; unlimited if not given",
                isAdvanced: true),
            Field(
                key: "min-bitrate", title: "Lowest bitrate on a slow network, such as 500k; 400k if not given",
                isAdvanced: true),
        ]
        return manifest
    }

    public static func isReserved(_ id: String) -> Bool { manifests.contains { $0.id == id } }
}
