// The services that come with Kinecast. They have no bundle; their executables are beside the engine's.
import KineMedia

/// The services that are always installed.
public enum BuiltInServices {
    /// In the order of lists.
    public static let manifests: [ServiceManifest] = [live, rtmp]

    /// One executable for all; its argument is the service's id.
    private static let executable = "kinecast-publish"

    /// The page that Kinecast itself serves.
    public static var live: ServiceManifest {
        typealias Field = ServiceManifest.SetupField
        var manifest = ServiceManifest(id: "live", name: "Live page", executable: executable)
        manifest.video = .encoded(codecs: [.h264], keyframeInterval: 2, expecting: .init(followsFormat: true))
        manifest.appAudio = .aac
        manifest.micAudio = .aac
        manifest.network = .none
        manifest.listen = "listen"
        manifest.setup = [
            Field(
                key: "listen",
                title: "Address to serve at, ADDRESS:PORT or PORT; 127.0.0.1 and a free port if not given"),
            Field(key: "tls-cert", title: "File with the TLS certificate and its chain, PEM", isFile: true),
            Field(key: "tls-key", title: "File with the certificate's private key, PEM", isFile: true),
            Field(key: "title", title: "Title of the page"),
            Field(
                key: "public-url",
                title: "Address that viewers open if a name, a proxy or a tunnel leads to the page; the link shows it"),
            Field(key: "player-link", title: "yes for a second link, for players that need a plain address"),
        ]
        return manifest
    }

    /// Pushes to an RTMP server.
    public static var rtmp: ServiceManifest {
        typealias Field = ServiceManifest.SetupField
        var manifest = ServiceManifest(id: "rtmp", name: "RTMP", executable: executable)
        // Ingest servers cut fragments at keyframes and expect one every two seconds. They expect a usual bitrate for
        // the size; one frame a second looks stalled. nginx-rtmp refuses messages over 1 MiB with headers.
        manifest.video = .encoded(
            codecs: [.h264], keyframeInterval: 2,
            expecting: .init(
                maximumBitrate: 6_000_000, maximumAccessUnit: (1 << 20) - 1024, stillFramesPerSecond: 5,
                followsFormat: true))
        manifest.appAudio = .aac
        manifest.micAudio = .aac
        manifest.urlSchemes = ["rtmp", "rtmps"]
        manifest.hasCheck = true
        // Sending the waiting samples may take 5 seconds; then the stream is closed.
        manifest.finishSeconds = 7
        manifest.setup = [
            Field(
                key: "url", title: "Address with the stream key, rtmp://HOST/APPLICATION/KEY", isRequired: true,
                isSecret: true),
            Field(key: "ca-file", title: "File with certificates to trust beside the system's, PEM", isFile: true),
            Field(key: "max-reconnects", title: "Attempts in a row to connect again; unlimited if not given"),
            Field(
                key: "min-bitrate",
                title: "Lowest bitrate on a slow network, such as 500k; 400k if not given"),
        ]
        return manifest
    }

    public static func isReserved(_ id: String) -> Bool { manifests.contains { $0.id == id } }
}
