// Gives libFuzzer's bytes to the decoders of manifests, of services and of apps. Whatever they are: no crash; either a manifest within all of its limits,
// or a problem that is one line without control characters.
import FuzzDriver
import KineMedia
import KineServices
import KineText

@_cdecl("fuzz_manifest_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

/// One input: the bytes of a manifest.json.
private func fuzz(_ bytes: [UInt8]) {
    check { () throws(ServiceManifest.Problem) in check(try ServiceManifest.read(bytes).manifest) }
    check { () throws(ServiceManifest.Problem) in check(try AppIdentity.read(bytes)) }
}

private func check(_ read: () throws(ServiceManifest.Problem) -> Void) {
    do throws(ServiceManifest.Problem) {
        try read()
    } catch {
        let sentence = error.description
        precondition(!sentence.isEmpty && sentence.utf8.count < 2000, "a problem that nobody can read")
        precondition(sentence.printable(limit: 2000) == sentence, "a problem that steers the terminal")
    }
}

private func check(_ app: AppIdentity) {
    let names = app.groups + app.groupServices.keys + app.groupServices.values.joined()
    precondition(names.allSatisfy { !$0.isEmpty && !$0.contains("/") && !$0.hasPrefix(".") }, "a group is a path")
    precondition(Set(app.groupServices.keys).isSubset(of: app.groups), "services of a group that it is no member of")
}

private func check(_ manifest: ServiceManifest) {
    precondition(
        !manifest.executable.contains("/") && !manifest.executable.hasPrefix("."), "it leads out of the bundle")
    precondition(!manifest.id.isEmpty && !manifest.id.contains("/") && !manifest.id.hasPrefix("."), "its id is a path")
    precondition(manifest.memoryLimit > 0 && manifest.memoryLimit <= ServiceManifest.memoryLimit, "too much memory")
    precondition(manifest.finishSeconds > 0 && manifest.finishSeconds <= 300, "it never finishes")
    precondition((0...10).contains(manifest.restarts), "it is started for ever")
    precondition(!manifest.hasCheck || manifest.network == .connect, "it asks a server without a network")
    precondition(!manifest.environment.contains(where: ServiceManifest.isWithheld), "it sees the display")
    precondition(Set(manifest.setup.map(\.key)).count == manifest.setup.count, "a setting twice")
    for name in [manifest.icon, manifest.setupProgram].compactMap(\.self) {
        precondition(!name.contains("/") && !name.hasPrefix("."), "it leads out of the bundle")
    }
    for field in manifest.setup {
        check(field)
        guard manifest.engineOpens(field.key), let value = field.defaultValue else { continue }
        precondition(!field.isFile, "it names a file of the user's")
        precondition(ListenAddress(value)?.isLoopback == true, "it opens the machine to others")
    }
}

private func check(_ field: ServiceManifest.SetupField) {
    precondition(
        !field.isAdvanced || !field.isRequired || field.defaultValue?.isEmpty == false, "it is hidden, and needed")
    switch field.kind {
    case .text(let rule):
        let problem = field.defaultValue.flatMap(field.problem)
        precondition(problem == nil, "a default that is refused")
        guard let pattern = rule.pattern else { return }
        // Whatever it is, it is answered soon.
        _ = pattern.matches(String(repeating: "a", count: 1000))
    case .choice(let choices):
        precondition(!choices.isEmpty && Set(choices.map(\.value)).count == choices.count, "no choice")
        for choice in choices { precondition(field.problem(with: choice.value) == nil, "a choice that is refused") }
    case .number(let rule):
        if let least = rule.minimum, let most = rule.maximum { precondition(least <= most, "no number fits") }
        precondition(field.problem(with: "nan") != nil && field.problem(with: "") == nil, "no number is one")
    }
}
