// What an app may show in a sheet of the studio.
import KineWire
import Testing

@Suite struct StudioMessageTests {
    private static func service(_ id: String, _ name: String = "A") -> SheetService {
        SheetService(id: id, name: name, rights: [SheetRight(.read, "/a\nb")])
    }

    @Test func `hidden characters become blanks, and long texts end`() {
        guard
            case .choice(let services, nil)? = SheetPrompt.choice(
                [Self.service("a", "Bank\u{202e}\u{200b}x")], isMicrophoneEnabled: nil
            ).bounded
        else {
            Issue.record("it is refused")
            return
        }
        #expect(services[0].name == "Bank x" && services[0].rights[0].subject == "/a b")
        var quick = Self.service("a")
        quick.needsNothing = true
        let bounded = SheetPrompt.choice([quick, Self.service("b")], isMicrophoneEnabled: nil).bounded
        guard case .choice(let both, nil)? = bounded else {
            Issue.record("it is refused")
            return
        }
        #expect(both.map(\.needsNothing) == [true, nil])
        let app = SheetApp(identifier: String(repeating: "a", count: 500), name: "A\u{7}").bounded
        #expect(app.identifier.count == 101 && app.name == "A ")
        var field = SetupQuestionField(key: "a", title: "T\u{1b}[1m")
        field.hint = String(repeating: "h", count: 2000)
        guard case .form(let form)? = SheetPrompt.form(SheetForm(service: "S", message: nil, fields: [field])).bounded
        else {
            Issue.record("it is refused")
            return
        }
        #expect(form.fields[0].title == "T [1m" && form.fields[0].hint?.count == 1001)
    }

    @Test(arguments: [
        SheetPrompt.choice([], isMicrophoneEnabled: nil),
        .choice([service("a"), service("a")], isMicrophoneEnabled: nil),
        .choice([service("a\u{200b}")], isMicrophoneEnabled: nil),
        .choice((0...256).map { service("\($0)") }, isMicrophoneEnabled: nil),
        .form(SheetForm(service: "A", message: nil, fields: [])),
        .form(SheetForm(service: "A", message: nil, fields: [.init(key: "a"), .init(key: "a")])),
        .form(SheetForm(service: "A", message: nil, fields: (0..<66).map { .init(key: "\($0)") })),
        .login(service: "A", address: "http://example.org"), .login(service: "A", address: "javascript:alert(1)"),
        .login(service: "A", address: "https://example.org/\u{202e}"),
        .login(service: "A", address: "https://" + String(repeating: "a", count: 2000)),
        .countdown(-1), .countdown(4000),
        .recording(SheetRecording(path: "a.mp4", isSaved: true, activities: [])),
        .recording(SheetRecording(path: "/" + String(repeating: "a", count: 4096), isSaved: true, activities: [])),
        .recording(
            SheetRecording(
                path: "/a.mp4", isSaved: true,
                activities: [SheetActivity(id: "a", title: "A"), SheetActivity(id: "a", title: "B")])),
    ]) func `is refused`(_ prompt: SheetPrompt) { #expect(prompt.bounded == nil) }

    @Test(arguments: [
        StudioMessage.open(recording: nil, opensBrowser: true), .open(recording: "/a.mp4", opensBrowser: false),
        .present(SheetApp(identifier: "a", name: "A")),
        .show(.waiting),
        .show(.choice([service("a")], isMicrophoneEnabled: true)), .show(.login(service: "A", address: "https://a")),
        .show(.countdown(3)), .show(.form(SheetForm(service: "A", message: "B", fields: [.init(key: "k")]))), .close,
        .show(
            .recording(
                SheetRecording(path: "/a.mp4", isSaved: false, activities: [SheetActivity(id: "a", title: "A")]))),
        .progress(task: 1, 0.5), .performed(task: 1, .done), .performed(task: 2, .failed("It failed.")),
    ]) func `arrives as it was sent`(_ message: StudioMessage) throws {
        var decoder = ControlDecoder()
        decoder.append(try ControlEncoder.frame(ControlHello()) + ControlEncoder.frame(message))
        #expect(try decoder.next(StudioMessage.self) == message)
    }
}
