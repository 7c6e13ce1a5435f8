// Gives libFuzzer's bytes to a client as what a setup program says. Whatever they are: no crash; either a report within all bounds, or
// a violation of one line that does not repeat a secret.
import FoundationEssentials
import FuzzDriver
import KineServices
import KineText
import KineWire

@_cdecl("fuzz_setup_messages_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

private let secret = "hush-hush"
/// What a person has answered for the setting "cert".
private let given = ["cert": "/given"]
private let manifest = {
    var manifest = ServiceManifest(id: "a", name: "A", executable: "a")
    manifest.setup = [
        .init(key: "token", title: "Token"), .init(key: "cert", title: "Certificate", isFile: true),
        .init(key: "place", title: "Place", defaultValue: "8080"),
    ]
    manifest.listen = "place"
    return manifest
}()

/// One input: what follows the greeting.
private func fuzz(_ input: [UInt8]) {
    // Hardly an input would get past the greeting by itself.
    guard let hello = try? ControlEncoder.frame(ControlHello()) else { preconditionFailure("no hello") }
    var decoder = ControlDecoder()
    decoder.append(hello + input)
    while let report = try? decoder.next(SetupReport.self) {
        do throws(CheckedSetupReport.Violation) {
            check(try CheckedSetupReport(report, for: manifest, given: given, secrets: [secret]))
        } catch {
            checkSentence(error.description)
        }
    }
    checkSheets(hello + input)
}

/// The same bytes, as what an app says to the studio: a content that is within all bounds stays as it is.
private func checkSheets(_ bytes: [UInt8]) {
    var decoder = ControlDecoder()
    decoder.append(bytes)
    while let message = try? decoder.next(StudioMessage.self) {
        guard case .show(let prompt) = message, let bounded = prompt.bounded else { continue }
        precondition(bounded.bounded == bounded, "bounds are not kept")
        if case .form(let form) = bounded { for field in form.fields { _ = ServiceManifest.SetupField(field) } }
    }
}

private func check(_ report: CheckedSetupReport) {
    switch report {
    case .ask(_, let message, let fields):
        if let message { checkSentence(message) }
        precondition((1...64).contains(fields.count), "too many fields")
        precondition(Set(fields.map(\.key)).count == fields.count, "a field twice")
        for field in fields {
            precondition(!field.key.isEmpty && field.key.utf8.count <= 100, "a key that cannot be")
            precondition(field.title.printable(limit: 200) == field.title, "a title that steers the terminal")
            if manifest.engineOpens(field.key) {
                precondition(field.defaultValue == nil, "an empty line names a file or an address")
                precondition(
                    field.title == manifest.setup.first { $0.key == field.key }?.title, "a title of the program's own")
            }
            if let value = field.defaultValue { precondition(field.problem(with: value) == nil, "a wrong default") }
        }
    case .login(let url): checkAddress(url, ["https"])
    case .finished(let info, let url):
        precondition(info.count <= 64, "too many settings")
        precondition(["", nil, given["cert"]].contains(info["cert"]), "a file that the person did not name")
        precondition(info["place", default: ""].isEmpty, "an address that the person did not name")
        precondition(info.values.allSatisfy { $0.unicodeScalars.count <= 10_000 }, "a setting that is too long")
        if let url { checkAddress(url, ["https", "http"]) }
    case .failed(let sentence): checkSentence(sentence)
    }
}

private func checkAddress(_ url: URL, _ schemes: [String]) {
    precondition(schemes.contains(url.scheme?.lowercased() ?? ""), "another scheme")
    precondition(url.host(percentEncoded: false)?.isEmpty == false, "no host")
    precondition(url.user(percentEncoded: false) == nil && url.password(percentEncoded: false) == nil, "a disguise")
    precondition(url.absoluteString.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }, "it cannot be shown")
}

private func checkSentence(_ sentence: String) {
    precondition(sentence.utf8.count < 4000, "the sentence is too long")
    precondition(sentence.printable(limit: 4000) == sentence, "a sentence that steers the terminal")
    precondition(!sentence.contains(secret), "a secret")
}
