// The course of a sheet, on a clock of the test's own.
import KineWire
import Testing

@testable import KineStudio

@Suite struct SheetStateMachineTests {
    private static let services = [SheetService(id: "live", name: "Live page", rights: [])]
    private static let choice = SheetPrompt.choice(services, isMicrophoneEnabled: true)
    private static let form = SheetPrompt.form(
        SheetForm(service: "Live page", message: nil, fields: [SetupQuestionField(key: "listen")]))
    private static let second: Int64 = 1_000_000_000

    /// A sheet whose window is open since the instant 0.
    private static func opened(_ prompt: SheetPrompt = choice) -> SheetStateMachine {
        var sheet = SheetStateMachine(at: 0)
        _ = sheet.handle(.windowOpened, at: 0)
        _ = sheet.handle(.prompt(prompt), at: 0)
        return sheet
    }

    @Test func `the person's answer goes to the app once, and the window waits for the next content`() {
        var sheet = Self.opened()
        let answer = SheetAnswer.service("live", isMicrophoneEnabled: false)
        let step = sheet.step
        #expect(sheet.answer(answer, step: step) == [.send(answer), .show])
        #expect(sheet.prompt == .waiting)
        #expect(sheet.answer(answer, step: step) == nil, "a second click")
        #expect(sheet.handle(.prompt(Self.form), at: 0) == [.show])
        let values = SheetAnswer.values(["listen": ""])
        #expect(sheet.answer(values, step: step) == nil, "a late answer")
        #expect(sheet.answer(values, step: sheet.step) == [.send(values), .show])
        #expect(sheet.handle(.closed, at: 0) == [.end] && sheet.ending == .done)
    }

    @Test func `the form of a service that needs nothing is answered without the person, unless they want to see it`() {
        let quick = SheetService(id: "live", name: "Live page", rights: [], needsNothing: true)
        let choice = SheetPrompt.choice([quick], isMicrophoneEnabled: true)
        let answer = SheetAnswer.service("live", isMicrophoneEnabled: false)
        var sheet = Self.opened(choice)
        #expect(sheet.answer(answer, step: sheet.step) == [.send(answer), .show])
        #expect(sheet.handle(.prompt(Self.form), at: 0) == [.send(.values([:]))] && sheet.prompt == .waiting)
        #expect(sheet.handle(.prompt(Self.form), at: 0) == [.show], "a second form is another question")

        sheet = Self.opened(choice)
        _ = sheet.answer(answer, step: sheet.step)
        _ = sheet.handle(.prompt(.countdown(3)), at: 0)
        #expect(sheet.handle(.prompt(Self.form), at: 0) == [.show], "something else came first")

        sheet = Self.opened(choice)
        #expect(sheet.answer(answer, step: sheet.step, showsForm: true) == [.send(answer), .show])
        #expect(sheet.handle(.prompt(Self.form), at: 0) == [.show] && sheet.prompt == Self.form)
    }

    @Test func `an answer to something else is refused`() {
        var sheet = Self.opened()
        #expect(sheet.answer(.service("other", isMicrophoneEnabled: false), step: sheet.step) == nil)
        #expect(sheet.answer(.values([:]), step: sheet.step) == nil)
        for forged in [SheetAnswer.finished, .cancelled, .windowClosed, .notShown] {
            #expect(sheet.answer(forged, step: sheet.step) == nil)
        }
        #expect(sheet.prompt == Self.choice)
    }

    @Test func `a recording's window ends once the person is done`() {
        let content = SheetPrompt.recording(SheetRecording(path: "/a.mp4", isSaved: false, activities: []))
        var sheet = Self.opened(content)
        #expect(SheetModel(sheet, app: SheetApp(identifier: "a", name: "A")).recording == LibraryFile.id(of: "/a.mp4"))
        #expect(sheet.answer(.values([:]), step: sheet.step) == nil)
        let old = sheet.step
        _ = sheet.handle(.prompt(content), at: 1)
        #expect(sheet.answer(.finished, step: old) == nil, "the app has saved it elsewhere meanwhile")
        #expect(sheet.answer(.finished, step: sheet.step) == [.send(.finished), .end] && sheet.ending == .done)
    }

    @Test func `a window that is gone for three seconds is closed, and one that is reloaded is not`() {
        var sheet = Self.opened()
        _ = sheet.handle(.windowClosed, at: 5)
        #expect(sheet.nextDeadline == 5 + 3 * Self.second)
        #expect(sheet.handle(.time, at: 4 + 3 * Self.second) == [])
        _ = sheet.handle(.windowOpened, at: 4 + 3 * Self.second)
        #expect(sheet.nextDeadline == nil && sheet.handle(.time, at: 9 * Self.second) == [])
        // The new connection may come before the end of the old one.
        _ = sheet.handle(.windowOpened, at: 9 * Self.second)
        _ = sheet.handle(.windowClosed, at: 9 * Self.second)
        #expect(sheet.nextDeadline == nil)
        _ = sheet.handle(.windowClosed, at: 10 * Self.second)
        #expect(sheet.handle(.time, at: 13 * Self.second) == [.send(.windowClosed), .end])
        #expect(sheet.handle(.cancelled, at: 13 * Self.second) == [], "it is over")
    }

    @Test func `a link that no window opens ends the sheet after a minute`() {
        var sheet = SheetStateMachine(at: 7)
        _ = sheet.handle(.prompt(Self.choice), at: 8)
        #expect(sheet.nextDeadline == 7 + 60 * Self.second)
        #expect(sheet.handle(.time, at: 6 + 60 * Self.second) == [])
        #expect(sheet.handle(.time, at: 7 + 60 * Self.second) == [.send(.notShown), .end])
    }

    @Test func `the person may cancel any content, and the end of an app is shown as that`() {
        for prompt in [Self.choice, Self.form, .login(service: "A", address: "https://a"), .countdown(3), .waiting] {
            var sheet = Self.opened(prompt)
            #expect(sheet.handle(.cancelled, at: 1) == [.send(.cancelled), .end] && sheet.ending == .cancelled)
            var lost = Self.opened(prompt)
            #expect(lost.handle(.appLost, at: 1) == [.end] && lost.ending == .appLost)
            #expect(SheetModel(lost, app: SheetApp(identifier: "a", name: "A")).kind == .appLost)
        }
    }

    @Test func `a page gets the host of a login's address`() {
        let sheet = Self.opened(.login(service: "A", address: "https://login.example.org:8443/device?code=1"))
        let model = SheetModel(sheet, app: SheetApp(identifier: "a", name: "A"))
        #expect(model.kind == .login && model.host == "login.example.org" && model.fields == nil)
    }
}
