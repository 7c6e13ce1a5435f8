// The page's files, which SwiftPM has put into the executable.

/// What is served to a browser besides the streams.
struct LivePage: Sendable {
    struct File: Sendable {
        var bytes: [UInt8]
        /// The media type.
        var type: String
    }

    private let title: String

    init(title: String) { self.title = title }

    /// Nil for what is no file.
    func file(_ resource: RequestGate.Resource) -> File? {
        let script = "text/javascript; charset=utf-8"
        return switch resource {
        case .page: File(bytes: titled(PackageResources.index_html), type: "text/html; charset=utf-8")
        case .script: File(bytes: PackageResources.page_js, type: script)
        case .decoding: File(bytes: PackageResources.webcodecs_js, type: script)
        case .buffering: File(bytes: PackageResources.mediasource_js, type: script)
        case .stream: File(bytes: PackageResources.stream_js, type: script)
        case .receiver: File(bytes: PackageResources.receiver_js, type: script)
        case .receiverThread: File(bytes: PackageResources.receiver_thread_js, type: script)
        case .hearing: File(bytes: PackageResources.soundplayer_js, type: script)
        case .sound: File(bytes: PackageResources.sound_js, type: script)
        case .style: File(bytes: PackageResources.page_css, type: "text/css; charset=utf-8")
        case .icon: File(bytes: PackageResources.icon_svg, type: "image/svg+xml")
        case .movie, .samples, .state: nil
        }
    }

    /// The page with its title, in which nothing of the title can be taken for a tag.
    private func titled(_ template: [UInt8]) -> [UInt8] {
        var escaped = ""
        for character in title {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.append(character)
            }
        }
        let mark = "{{title}}"
        var page = Substring(String(decoding: template, as: UTF8.self))
        var result = ""
        while let start = page.firstIndex(of: "{") {
            result += page[..<start]
            if page[start...].hasPrefix(mark) {
                result += escaped
                page = page[start...].dropFirst(mark.count)
            } else {
                result.append("{")
                page = page[start...].dropFirst()
            }
        }
        return Array((result + page).utf8)
    }
}
