// The files of a new extension's package that are not Swift sources: manifests, install script and README.
import KinePlatform

extension ExtensionPackage {
    var packageManifest: String {
        // Without traits, nothing is downloaded that only Kinecast's programs need, such as an HTTP server and TLS.
        let dependency =
            switch sources {
            case .checkout(let path): ".package(name: \"kinecast\", path: \(Self.literal(path)), traits: [])"
            case .repository(let url): ".package(url: \(Self.literal(url)), branch: \"main\", traits: [])"
            }
        return """
            // swift-tools-version: 6.1
            import PackageDescription

            let package = Package(
                name: "\(name.typed)",
                dependencies: [
                    \(dependency)
                ],
                targets: [
                    .executableTarget(
                        name: "\(name.module)",
                        dependencies: [.product(name: "KinecastExtension", package: "\(dependencyName)")]),
                    .testTarget(
                        name: "\(name.module)Tests",
                        dependencies: [
                            "\(name.module)", .product(name: "KinecastExtensionTesting", package: "\(dependencyName)"),
                        ]),
                ],
                swiftLanguageModes: [.v6]
            )

            """
    }

    /// Kinecast's name for the package manager: the last part of a repository's address, else the name in `packageManifest`.
    private var dependencyName: String {
        guard case .repository(let url) = sources else { return "kinecast" }
        let last = url.split { $0 == "/" || $0 == ":" }.last.map(String.init) ?? "kinecast"
        return last.hasSuffix(".git") ? String(last.dropLast(4)) : last
    }

    /// The service's manifest.json, which `kinecast services install` reads.
    var serviceManifest: String {
        let video =
            wantsRawFrames
            ? """
            "raw": {"pixelFormat": "i420", "maximumSize": {"width": 640, "height": 360}, "framesPerSecond": 10}
            """
            : """
            "encoded": {"codec": "h264", "keyframeInterval": 2}
            """
        return """
            {
              "kinecast": 1,
              "id": "\(name.id)",
              "name": "\(name.typed)",
              "version": "0.1",
              "executable": "\(name.id)",
              "video": {\(video)},
              "audio": {"app": "pcm", "mic": "pcm"},
              "setup": [
                {"key": "every", "title": "Seconds between two reports", "default": "1"}
              ]
            }

            """
    }

    var installScript: String {
        #"""
        #!/usr/bin/env bash
        # Builds the extension, makes \#(name.id).kinext of it and installs it for this user. Arguments go to `swift build`.
        set -euo pipefail
        cd "$(dirname "$0")/.."
        kinecast=${KINECAST:-$(command -v kinecast || echo \#(kinecast.shellWord))}

        # Swift's library inside the executable: it then needs nothing installed, and less memory.
        # The linker's warning is about a part of it that nothing here calls.
        swift build -c release --static-swift-stdlib --product \#(name.module) "$@" 2>&1 | { grep -v mktemp || true; }
        bin=$(swift build -c release --static-swift-stdlib --show-bin-path "$@")

        rm -rf \#(name.id).kinext
        mkdir \#(name.id).kinext
        cp manifest.json \#(name.id).kinext/
        cp "$bin/\#(name.module)" \#(name.id).kinext/\#(name.id)
        "$kinecast" services install --yes \#(name.id).kinext

        """#
    }

    var readme: String {
        let video =
            wantsRawFrames
            ? "uncompressed frames (I420, at most 640x360, ten a second)"
            : "the encoded frames that the recording gets too"
        return """
            # \(name.typed)

            An extension of Kinecast. It receives a broadcast: \(video),
            and the audio. Once a second it reports how much came and how loud it was. Put your upload in its place.

                swift test              # feeds the handler samples, without a display
                scripts/install         # builds it, and installs it for you
                kinecast broadcast --service \(name.id)
                kinecast broadcast --pattern 640x360 --service \(name.id) --set every=0.5 --duration 10s

            - `Sources/\(name.module)/\(name.module).swift` is the handler. Its callbacks come one at a time and in order.
            - `manifest.json` says what the extension is given, and what it asks of the user: the keys of `--set`.
            - `scripts/install` makes `\(name.id).kinext`, a directory with the manifest and the executable, which
              `kinecast services install` copies. Give that directory to others. `kinecast services remove \(name.id)`
              takes it away again.

            The extension runs in a process of its own, with no display, a clean environment and 50 MB of memory. When it
            crashes, hangs or takes more, it is ended and the recording goes on. `docs/extensions.md` of Kinecast has the rules.

            """
    }

    /// `text` as a string literal of Swift.
    private static func literal(_ text: String) -> String {
        "\"" + text.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "\""
    }
}
