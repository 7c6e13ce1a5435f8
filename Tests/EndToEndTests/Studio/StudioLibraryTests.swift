// The library of recordings in the studio's page: played, cut by keys, renamed, deleted and restored.
import Glibc
import KineMeasure
import KinePlatform
import ProcessTesting
import SystemPackage
import Testing

@Suite(.tags(.real, .programs)) struct StudioLibraryTests {
    @Test func `a recording is played, cut to the frame by keys, renamed, deleted and restored`() throws {
        try RunningStudio.with(configuration: "[record]\naudio = none\n") { studio in
            try studio.place.makeDirectory("Kinecast")
            try studio.withWindow { window in
                try window.show("Library")
                #expect(try window.browser.wait(until: "return document.querySelector('.empty')?.checkVisibility()"))
                try window.expectAccessible("no recordings")
                try studio.recordTalk()
                #expect(try window.lists("Talk"), "with its poster")
                try window.expectAccessible("the list")
                try showsOne(window, in: studio)
                try window.browser.click("#opened")
                #expect(try window.plays("Talk"))
                try openDialogs(window)
                let (cut, last) = try window.cut()
                try window.expectAccessible("a cut")
                try showsCutInHighContrast(window)
                let ends = [try window.time(of: "from"), try window.time(of: "to")]
                #expect(try window.playsCut(until: last))
                try window.show("Record")
                #expect(try window.isIdle())
                try window.show("Library")
                #expect(try window.plays("Talk"))
                #expect(try ends == [window.time(of: "from"), window.time(of: "to")], "it stays")
                try window.click("Save as new")
                try window.expectAccessible("the cut's name")
                try window.answer("Short")
                #expect(try window.works("done", "Short"))
                let length = try TakeFile.listedDuration(studio.place.path("Kinecast/Short.mp4"))
                #expect(abs(length - cut) < 0.001, "\(length) s instead of \(cut) s")
                try window.click("Open recording")
                #expect(try window.plays("Short"))
                try rename(window, in: studio)
                try removeAndRestore(window, in: studio)
                try makeFilm(window)
                _ = try window.browser.log()
            }
        }
    }

    /// A window of one recording has no view for another.
    private func showsOne(_ window: StudioWindow, in studio: RunningStudio) throws {
        let file = studio.place.path("Kinecast/Talk.mp4")
        let printed = try studio.place.run(["studio", "--no-browser", file], studio.environment)
        let link = try #require(LiveLink(printed.output.filter { !$0.isNewline }))
        let earlier = try window.browser.openTab()
        try window.browser.open("\(link.base)#\(link.token)")
        #expect(try window.plays("Talk"))
        #expect(try window.browser.run("return !document.querySelector('#views, #record').checkVisibility()"))
        try window.expectAccessible("one recording")
        try window.browser.closeTab()
        try window.browser.selectTab(earlier)
    }

    private func openDialogs(_ window: StudioWindow) throws {
        for (button, end) in [("Share", "Cancel"), ("Shortcuts", "Close")] {
            try window.click(button)
            #expect(try window.browser.wait(until: "return document.querySelector('dialog[open]') != null"))
            try window.expectAccessible(button)
            try window.click(end)
        }
    }

    private func showsCutInHighContrast(_ window: StudioWindow) throws {
        try window.browser.show(width: 1024, height: 800, .light, isHighContrast: true)
        let isSeen = """
            const ground = getComputedStyle(document.querySelector(".timeline")).backgroundColor;
            return matchMedia("(forced-colors: active)").matches && ["from", "to"].every((name) =>
                getComputedStyle(document.querySelector(`.handle.${name}`), "::before").backgroundColor !== ground)
                && getComputedStyle(document.querySelector(".outside")).backgroundImage !== "none";
            """
        #expect(try window.browser.wait(until: isSeen))
        try window.browser.show(width: 1024, height: 800, .light)
    }

    private func rename(_ window: StudioWindow, in studio: RunningStudio) throws {
        try window.click("Rename")
        for (name, rule) in [("Talk", "exists already"), ("a/b", "no slash"), (" ", "at least one character")] {
            try window.name(name)
            let isRefused = "return document.querySelector('.name [role=alert]').textContent.includes('\(rule)')"
            #expect(try window.browser.wait(until: isRefused), "\(name)")
        }
        try window.name("Final")
        #expect(try window.plays("Final"))
        let files = PrivateDirectory.entries(FilePath(studio.place.path("Kinecast"))).sorted()
        #expect(files == ["Final.mp4", "Talk.mp4"])
    }

    private func makeFilm(_ window: StudioWindow) throws {
        #expect(try window.lists("Talk"))
        try window.browser.click("#opened")
        #expect(try window.plays("Talk"))
        try window.click("Make a film")
        try window.expectAccessible("the film's questions")
        try window.answer("Film", "Make")
        #expect(try window.works("done", "Film"))
        try window.click("Open recording")
        #expect(try window.plays("Film"))
    }

    private func removeAndRestore(_ window: StudioWindow, in studio: RunningStudio) throws {
        let path = studio.place.path("Kinecast/Final.mp4")
        #expect(access(path, F_OK) == 0)
        try window.click("Delete")
        let isListed =
            "return document.querySelectorAll('.tile').length === 1 && document.activeElement.matches('.open')"
        #expect(try window.browser.wait(until: isListed), "the next recording has the focus")
        #expect(access(path, F_OK) != 0)
        try window.click("Undo")
        let isBack = "return document.activeElement.querySelector('.title')?.textContent === 'Final'"
        #expect(try window.browser.wait(until: isBack))
        #expect(access(path, F_OK) == 0)
    }
}
