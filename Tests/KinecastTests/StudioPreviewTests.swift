// An app's recording in a window of the studio, in a real browser: cut, shared and saved, and the person's end of it.
import CoreTesting
import FoundationEssentials
import KineClient
import KineMeasure
import KinePlatform
import ProcessTesting
import Testing

@testable import Kinecast

@Suite(.tags(.real, .programs)) struct StudioPreviewTests {
    private typealias Outcome = Result<PreviewResult, RecordingError>

    /// An activity that the test lets go on.
    private struct Post: ShareActivity {
        let type = ShareActivityType(rawValue: "org.example.post")
        let title = "Post to the Forum"
        let gate = Promise<Void>()

        func perform(
            with recording: SharedRecording, progress: @escaping @Sendable (ShareProgress) -> Void
        ) async throws -> URL? {
            progress(ShareProgress(completedBytes: 1, totalBytes: 2))
            guard await gate.value() != nil else { throw CancellationError() }
            return nil
        }
    }

    private let folder: TemporaryDirectory
    private let store: RecordingStore
    private let post = Post()

    init() throws {
        folder = try TemporaryDirectory()
        var store = RecordingStore(directory: URL(filePath: folder.file("recordings")))
        store.trash = Trash(folder.file("Trash"))
        self.store = store
    }

    /// Two seconds of a pattern, unsaved.
    private func record(_ studio: RunningStudio) throws -> RecordingPreview {
        let file = try store.newFile()
        let ended = try studio.place.run(
            ["record", "--pattern", "320x240", "--fps", "10", "--audio", "none", "--duration", "2s", file.path],
            studio.environment)
        #expect(ended.status == 0, "\(ended)")
        return RecordingPreview(
            .unsaved(file), duration: .seconds(try TakeFile.listedDuration(file.path)), size: nil, store: store)
    }

    private func present(_ preview: RecordingPreview, _ desktop: TestStudioDesktop) -> Monitor<Outcome?> {
        let outcome = Monitor<Outcome?>(nil)
        let activities = [post]
        Task {
            do throws(RecordingError) {
                let result = try await preview.present(
                    activities: activities, presenter: StudioPresenter(desktop.desktop))
                outcome.signal { $0 = .success(result) }
            } catch {
                outcome.signal { $0 = .failure(error) }
            }
        }
        return outcome
    }

    /// Shares by the app's activity, up to its half.
    private func share(_ window: StudioWindow) throws {
        try window.share(by: post.type.rawValue)
        #expect(try window.browser.wait(until: "return document.querySelector('.jobs progress')?.value === 0.5"))
    }

    @Test func `the person cuts, shares, saves and replaces a recording, and the app does it`() throws {
        try RunningStudio.with { studio in
            let preview = try record(studio)
            let desktop = try TestStudioDesktop(studio)
            try studio.withWindow { window in
                let outcome = present(preview, desktop)
                try desktop.open(in: window)
                #expect(try window.plays())
                try window.expectAccessible("previewing")
                try window.cutFirstSecond()
                try window.click("Save as new")
                try window.answer("Part", "Save")
                #expect(try window.works("done", "Part"))
                #expect(try TakeFile.listedDuration(studio.place.path("Kinecast/Part.mp4")) < 1.2)
                try shareTwice(window)
                try save(window)
                let file = studio.place.path("Kinecast/Whole.mp4")
                #expect(preview.url?.path == file)
                try replace(window)
                try wait("the cut") { preview.duration < .milliseconds(1200) }
                #expect(try preview.url?.path == file && TakeFile.listedDuration(file) < 1.2)
                #expect(
                    try FileManager.default.contentsOfDirectory(atPath: folder.file("Trash/files")) == ["Whole.mp4"])
                #expect(try store.files() == [])
                try window.click("Done")
                let end = try outcome.wait(for: { $0 })?.get()
                #expect(end == .finished([post.type, .saveToVideos]))
                #expect(preview.completedActivities == [post.type, .saveToVideos])
                #expect(try window.browser.wait(until: "return document.body.innerText.includes('can be closed')"))
            }
        }
    }

    /// Cancels the first time.
    private func shareTwice(_ window: StudioWindow) throws {
        try share(window)
        try window.click("Done")
        let isRefused = "return document.getElementById('problem').textContent.includes('still being saved or shared')"
        #expect(try window.browser.wait(until: isRefused))
        // The browser reports the refusal, too.
        _ = try window.browser.log()
        try window.click("Cancel")
        #expect(try window.works("cancelled", "Forum"))
        try share(window)
        post.gate.fulfil(())
        #expect(try window.works("done", "Forum"))
    }

    /// Saves the recording, and expects that its new name is never shown above the picture of the old file. The list of the
    /// recordings that the page asks for first comes last.
    private func save(_ window: StudioWindow) throws {
        let _: Bool = try window.browser.run(
            """
            const [title, video] = [document.querySelector(".viewer h2"), document.querySelector(".player video")];
            const [name, address] = [title.textContent, video.getAttribute("src")];
            window.isMixed = false;
            new MutationObserver(() => {
                window.isMixed ||= title.textContent !== name && video.getAttribute("src") === address;
            }).observe(title, { childList: true, characterData: true, subtree: true });
            const send = window.fetch;
            let isFirst = true;
            window.fetch = async (path, ...options) => {
                const answer = await send(path, ...options);
                if (isFirst && path.endsWith("api/recordings")) {
                    isFirst = false;
                    await new Promise((done) => setTimeout(done, 500));
                }
                return answer;
            };
            return true;
            """)
        try window.click("Save to videos")
        try window.answer("Whole", "Save to videos")
        #expect(try window.plays("Whole"))
        #expect(try window.browser.run("return window.isMixed") == false)
    }

    private func replace(_ window: StudioWindow) throws {
        try window.cutFirstSecond()
        try window.click("Save as new")
        try window.answer(nil, "Replace the recording")
        let isAsked = "return document.querySelector('dialog[open] h2')?.textContent === 'Replace Whole?'"
        #expect(try window.browser.wait(until: isAsked))
        try window.answer(nil, "Replace the recording")
        #expect(try window.works("done", "Whole"))
    }

    @Test func `Cancel is the person's, and a closed window lets the app complete what was begun`() throws {
        try RunningStudio.with { studio in
            let preview = try record(studio)
            let desktop = try TestStudioDesktop(studio)
            try studio.withWindow { window in
                let cancelled = present(preview, desktop)
                try desktop.open(in: window)
                #expect(try window.plays())
                try window.click("Cancel")
                #expect(try cancelled.wait(for: { $0 })?.get() == .cancelled)

                let closed = present(preview, desktop)
                try desktop.open(in: window)
                #expect(try window.plays())
                try share(window)
                try window.browser.open("about:blank")
                post.gate.fulfil(())
                #expect(try closed.wait(for: { $0 })?.get() == .windowClosed)
                #expect(preview.completedActivities == [post.type] && preview.url?.path.hasPrefix(folder.path) == true)
            }
        }
    }

    @Test func `without a desktop the error says so`() async throws {
        let preview = RecordingPreview(
            .unsaved(URL(filePath: folder.file("a.mp4"))), duration: .zero, size: nil, store: store)
        let error = await #expect(throws: RecordingError.self) {
            try await preview.present(presenter: StudioPresenter(StudioDesktop(hasDisplay: false)))
        }
        #expect(error?.code == .unavailable && error?.message.contains("no desktop") == true)
    }
}
