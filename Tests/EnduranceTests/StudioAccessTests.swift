// The studio's window for people who use no mouse, or see it in a few colours of high contrast.
import FoundationEssentials
import KineMeasure
import ProcessTesting
import Testing

@Suite(.serialized, .tags(.real, .programs, .endurance)) struct StudioAccessTests {
    /// WebDriver's letters (Keyboard Actions).
    private static let (tab, enter, right) = ("\u{E004}", "\u{E007}", "\u{E014}")
    private static let settings = "[record]\naudio = none\ncountdown = 0\n[broadcast]\naudio = none\ncountdown = 0\n"

    /// Presses Tab until the element that has the focus is visible, marked as focused, and as a condition on `it` says.
    private func focus(_ window: StudioWindow, _ condition: String) throws {
        for _ in 0..<80 {
            let isThere: Bool = try window.browser.run(
                """
                const it = document.activeElement;
                const { outlineStyle } = getComputedStyle(it.closest(".card, label:has(:focus-visible)") ?? it);
                const { top, bottom } = it.getBoundingClientRect();
                return it !== document.body && it.checkVisibility() && top >= 0 && bottom <= innerHeight + 1
                    && (outlineStyle !== "none" || getComputedStyle(it).outlineStyle !== "none") && Boolean(\(condition));
                """)
            if isThere { return }
            try window.browser.type(Self.tab)
        }
        Issue.record("Tab does not lead to \(condition)")
    }

    private func press(_ window: StudioWindow, _ label: String) throws {
        let isReady = """
            return [...document.querySelectorAll("button")].some((one) =>
                one.textContent === "\(label)" && one.checkVisibility() && !one.disabled && !one.closest("[inert]"));
            """
        #expect(try window.browser.wait(until: isReady), "there is no \(label)")
        try focus(window, "it.textContent === '\(label)' && !it.disabled")
        try window.browser.type(Self.enter)
    }

    @Test func `the main path is walked by the keyboard alone`() throws {
        try RunningStudio.with(configuration: Self.settings) { studio in
            try studio.withWindow { window in
                try window.browser.show(width: 1366, height: 680, .light)
                #expect(try window.isIdle())
                for row in ["Instant replay", "Stream live"] {
                    try focus(window, "it.labels?.[0]?.textContent === '\(row)'")
                    try window.browser.type(" ")
                }
                try press(window, "Go live")
                #expect(try window.shows("Live"))
                try press(window, "Copy link")
                #expect(try window.browser.wait(until: "return document.body.innerText.includes('Copied')"))
                try focus(window, "it.textContent.startsWith('Chapter')")
                try window.browser.type(Self.enter)
                #expect(try window.browser.wait(until: "return document.body.textContent.includes('Chapter 1')"))
                _ = try window.browser.wait(seconds: 2, until: "return false")
                try press(window, "End stream")
                #expect(try window.plays())
                // The name is ready for typing.
                let isNaming = "return document.activeElement.matches('.viewer .name input')"
                #expect(try window.browser.wait(until: isNaming))
                try window.browser.type("Talk" + Self.enter)
                #expect(try window.plays("Talk"))
                try focus(window, "it.matches('.handle.from')")
                try window.browser.type(String(repeating: Self.right, count: 5))
                let isCut = "return Number(document.querySelector('.handle.from').ariaValueNow) > 0"
                #expect(try window.browser.wait(until: isCut))
                try press(window, "Save as new")
                try press(window, "Save")
                let isSaved = "return document.querySelector('.jobs li:last-child')?.dataset.state === 'done'"
                #expect(try window.browser.wait(until: isSaved))
            }
        }
    }

    @Test func `in high contrast a picture tells what is chosen, turned off, or has the focus`() throws {
        try RunningStudio.with(configuration: Self.settings) { studio in
            try studio.withWindow { window in
                try window.browser.show(width: 1366, height: 680, .light, isHighContrast: true)
                #expect(try window.isIdle())
                /// Whether the pictures of an element before and after a script differ.
                func tells(_ selector: String, _ script: String) throws {
                    let before = try window.browser.picture(of: selector)
                    let _: Bool = try window.browser.run("\(script); document.activeElement.blur(); return true")
                    let after = try window.browser.picture(of: selector)
                    #expect(!before.isEmpty && before != after, "\(selector)")
                }
                let choose = "[...document.querySelectorAll('.segments input')]"
                try tells(".segments", "\(choose).find((one) => one.labels[0].textContent === 'Area').click()")
                try tells(".segments", "\(choose).find((one) => one.labels[0].textContent === 'Screen').click()")
                try tells(".gallery", "document.querySelector('.card input:checked').checked = false")
                let row = "[role=switch]:enabled"
                try tells(".row:has(\(row))", "document.querySelector('\(row)').click()")
                try window.turn("Stream live")
                try tells("#views", "document.querySelector('#views :last-child').click()")
                try window.show("Record")
                try window.click("Go live")
                #expect(try window.shows("Live"))
                let tool = ".controls button:not([hidden])"
                try tells(".controls", "document.querySelector('\(tool)').classList.toggle('off')")
                try window.endTake()
                #expect(try window.browser.wait(until: "return document.querySelector('#takes').hidden"))
            }
        }
    }
}
