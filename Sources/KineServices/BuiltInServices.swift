// The services that come with Kinecast: no bundle, an executable beside the engine's.
import KineMedia

/// What is installed always.
public enum BuiltInServices {
    /// In the order in which they are listed.
    public static let manifests: [ServiceManifest] = [live, rtmp]

    /// The page that Kinecast serves itself.
    public static var live: ServiceManifest {
        typealias Field = ServiceManifest.SetupField
        var manifest = ServiceManifest(id: "live", name: "Live page", executable: "kinecast-live")
        manifest.video = .encoded(codec: "h264", keyframeInterval: 2)
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
                title: "Address that viewers open, where a name, a proxy or a tunnel leads to it; the link shows it"),
            Field(key: "player-link", title: "yes for a second link, for players that take only a plain address"),
        ]
        return manifest
    }

    /// Pushes to an RTMP server.
    public static var rtmp: ServiceManifest {
        typealias Field = ServiceManifest.SetupField
        var manifest = ServiceManifest(id: "rtmp", name: "RTMP", executable: "kinecast-rtmp")
        // Ingests want a keyframe every two seconds, and cut their own fragments there; they take a bitrate that is usual for
        // the size, and see a stream that sends one picture a second as one that hangs. nginx-rtmp refuses messages over 1 MiB;
        // the headers, and what the publisher puts in front, need some of it.
        manifest.video = .encoded(
            codec: "h264", keyframeInterval: 2,
            expecting: .init(maximumBitrate: 6_000_000, maximumAccessUnit: (1 << 20) - 1024, stillFramesPerSecond: 5))
        manifest.appAudio = .aac
        manifest.micAudio = .aac
        manifest.urlSchemes = ["rtmp", "rtmps"]
        // What waits may take 5 seconds to be sent; then comes the goodbye.
        manifest.finishSeconds = 7
        manifest.setup = [
            Field(
                key: "url", title: "Address with the stream key, rtmp://HOST/APPLICATION/KEY", isRequired: true,
                isSecret: true),
            Field(key: "ca-file", title: "File with certificates to trust beside the system's, PEM", isFile: true),
            Field(key: "max-reconnects", title: "Attempts in a row to connect again; without end if not given"),
            Field(
                key: "min-bitrate",
                title:
                    "The least bits a second that a slow network may bring the picture down to, such as 500k; 400k if "
                    + "not given"),
        ]
        return manifest
    }

    public static func isReserved(_ id: String) -> Bool { manifests.contains { $0.id == id } }
}
