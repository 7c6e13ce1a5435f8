// Gives libFuzzer's bytes to the filter that others' words go through, with secrets that are libFuzzer's as well. Whatever they are:
// no crash, no secret that is left whole, nothing that steers a terminal, no more than was allowed, and no word changed that need not be.
import FoundationEssentials
import FuzzDriver
import KineServices
import KineText
import KineWire

@_cdecl("fuzz_foreign_text_main")
public func fuzzMain(_ count: Int32, _ arguments: FuzzArguments) -> Int32 { runFuzzer(count, arguments, fuzz) }

/// An extension with two secret settings and an address.
private let service: Service = {
    var manifest = ServiceManifest(id: "fuzz", name: "Fuzz", executable: "fuzz")
    manifest.urlSchemes = ["rtmp"]
    manifest.setup = ["first", "second"].map { .init(key: $0, title: $0, isSecret: true) }
    return Service(manifest: manifest, origin: .user, bundle: nil, executable: "/fuzz")
}()

/// One input: its first byte says how long the text may be. Then, a zero between them, two secrets, an address, and the text, which
/// is also read as the report of a trial.
private func fuzz(_ input: [UInt8]) {
    guard let choice = input.first else { return }
    let parts = input.dropFirst().split(separator: 0, maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4 else { return }
    let words = parts.map { String(decoding: $0, as: UTF8.self) }
    let setup = ["first": words[0], "second": words[1], Service.addressKey: words[2]]
    let secrets = service.secrets(in: setup)
    // What the filter promises: every secret of four bytes and more.
    let promised = setup.values.filter { $0.utf8.count >= 4 }
    let text = words[3]
    let limit = Int(choice) * 2
    let cleaned = text.cleaned(of: secrets, limit: limit)
    check(cleaned, hides: promised, limit: limit)
    if !text.hasAny(of: secrets + secrets.map { $0.printable(limit: .max) }), text.printable(limit: limit) == text {
        precondition(cleaned == text, "harmless words were changed")
    }
    if let report = try? JSONDecoder().decode(DestinationReport.self, from: Data(text.utf8)) {
        let shown = report.cleaned(of: secrets)
        for text in [shown.problem, shown.server, shown.address, shown.tls, shown.certificate].compactMap(\.self) {
            check(text, hides: promised, limit: 300)
        }
        precondition(shown.roundTrip == report.roundTrip && shown.duration == report.duration, "other numbers")
    }
}

private func check(_ text: String, hides secrets: [String], limit: Int) {
    precondition(!text.hasAny(of: secrets), "a secret is shown")
    precondition(text.isPrintable, "it steers the terminal")
    precondition(text.unicodeScalars.count <= limit + 1, "more than was allowed")
}

extension String {
    /// As bytes, and as the characters that a person sees.
    fileprivate func hasAny(of secrets: [String]) -> Bool {
        secrets.contains { secret in contains(secret) || Array(utf8).holds(Array(secret.utf8)) }
    }
}

extension [UInt8] {
    fileprivate func holds(_ other: [UInt8]) -> Bool {
        guard let first = other.first, other.count <= count else { return false }
        return indices.dropLast(other.count - 1).contains {
            self[$0] == first && self[$0..<($0 + other.count)].elementsEqual(other)
        }
    }
}
