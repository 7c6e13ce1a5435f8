// The page's files, which SwiftPM embeds in the executable.
import KinePlatform
import KinePublish

enum StudioPage {
    static let document = StudioAnswer(type: "text/html; charset=utf-8", body: PackageResources.index_html)
    static let description = StudioAnswer(body: PackageResources.openapi_json)

    /// Nil: the page has no such file.
    static func file(_ name: String) -> StudioAnswer? { files[name] }

    private static let files: [String: StudioAnswer] = {
        let scripts = [
            "page.js": PackageResources.page_js, "session.js": PackageResources.session_js,
            "events.js": PackageResources.events_js, "events-worker.js": PackageResources.events_worker_js,
            "takes.js": PackageResources.takes_js, "recording.js": PackageResources.recording_js,
            "notices.js": PackageResources.notices_js, "words.js": PackageResources.words_js,
            "english.js": PackageResources.english_js,
            "chinese.js": PackageResources.chinese_js,
            "elements.js": PackageResources.elements_js, "gallery.js": PackageResources.gallery_js,
            "destinations.js": PackageResources.destinations_js, "sources.js": PackageResources.sources_js,
            "targets.js": PackageResources.targets_js, "levels.js": PackageResources.levels_js,
            "preview.js": PackageResources.preview_js, "statistics.js": PackageResources.statistics_js,
            "plot.js": PackageResources.plot_js, "countdown.js": PackageResources.countdown_js,
            "more.js": PackageResources.more_js, "hidden.js": PackageResources.hidden_js,
            "camera.js": PackageResources.camera_js, "cameraframe.js": PackageResources.cameraframe_js,
            "takecamera.js": PackageResources.takecamera_js, "region.js": PackageResources.region_js,
            "names.js": PackageResources.names_js, "disk.js": PackageResources.disk_js,
            "views.js": PackageResources.views_js, "library.js": PackageResources.library_js,
            "tile.js": PackageResources.tile_js, "posters.js": PackageResources.posters_js,
            "recordings.js": PackageResources.recordings_js, "undo.js": PackageResources.undo_js,
            "dialogs.js": PackageResources.dialogs_js, "jobs.js": PackageResources.jobs_js,
            "viewer.js": PackageResources.viewer_js, "playback.js": PackageResources.playback_js,
            "trim.js": PackageResources.trim_js, "share.js": PackageResources.share_js,
            "sheet.js": PackageResources.sheet_js, "sheet-form.js": PackageResources.sheet_form_js,
        ]
        var files = scripts.mapValues { StudioAnswer(type: "text/javascript; charset=utf-8", body: $0) }
        for (name, bytes) in [("page.css", PackageResources.page_css), ("library.css", PackageResources.library_css)] {
            files[name] = StudioAnswer(type: "text/css; charset=utf-8", body: bytes)
        }
        for (name, bytes) in [
            ("icon.svg", PackageResources.icon_svg), ("icon-recording.svg", PackageResources.icon_recording_svg),
        ] {
            files[name] = StudioAnswer(type: "image/svg+xml", body: bytes)
        }
        for module in LivePage.modules {
            files[module.rawValue] = LivePage.file(module).map { StudioAnswer(type: $0.type, body: $0.bytes) }
        }
        return files
    }()
}
