// Finds the commands of scripts/bench that the script's own header and the documents name.
import ArgumentParser
import FoundationEssentials
import KineMeasure
import SystemPackage
import Testing

@testable import kinecast_bench

/// A command as a document names it.
struct NamedCommand: CustomTestStringConvertible {
    let file: String
    /// The text after `scripts/bench`, with its placeholders.
    let text: String

    var testDescription: String { "\(file): scripts/bench \(text)" }

    /// The arguments of a run: without what is left to the reader, and with a value for each placeholder.
    var arguments: [String] {
        text.replacing(/\[(options|\w+…)\]|…/, with: "").replacing(/[\[\]]/, with: "")
            .split(separator: " ").map { Self.placeholders[String($0)] ?? String($0) }
    }

    private static let placeholders = ["PATH": "/bin/sh", "N": "10"]
}

enum NamedCommands {
    static let script = "scripts/bench"
    static let page = "docs/benchmarks.md"
    static let documents: [String] = {
        let pages = (try? FileManager.default.contentsOfDirectory(atPath: path("docs"))) ?? []
        return ["README.md", "CONTRIBUTING.md"] + pages.filter { $0.hasSuffix(".md") }.sorted().map { "docs/\($0)" }
    }()

    static let all: [NamedCommand] = header + documents.flatMap { find(in: text(of: $0), file: $0) } + table

    /// The comment at the top of the script.
    static let header: [NamedCommand] = find(in: headerText, file: script)
    static let headerText = text(of: script).split(separator: "\n").prefix { $0.hasPrefix("#") }
        .joined(separator: "\n")

    /// The table of subcommands in docs/benchmarks.md. The bare command has the name "(nothing)" there.
    static let table: [NamedCommand] = text(of: page).split(separator: "\n", omittingEmptySubsequences: false)
        .drop { !$0.hasPrefix("| `scripts/bench …` |") }.dropFirst(2).prefix { $0.hasPrefix("|") }
        .map { row in
            let words = row.split(separator: "|")[0].filter { $0 != "`" }.split(separator: " ").joined(separator: " ")
            return NamedCommand(file: page, text: words == "(nothing)" ? "" : words)
        }

    /// The subcommands for which the script installs or builds more than it does for all.
    static let cases: [String] = text(of: script).split(separator: "\n")
        .drop { !$0.hasPrefix("case ${1:-} in") }.dropFirst().prefix { $0 != "esac" }
        .flatMap { $0.prefix { $0 != ")" }.split(separator: "|").map { $0.filter { $0 != " " } } }

    /// Commands stand in backquotes, perhaps over two lines, or on a line of their own, with two spaces before what
    /// explains them.
    static func find(in text: String, file: String) -> [NamedCommand] {
        let quoted = text.matches(of: /`scripts\/bench(?:\s([^`]*))?`/).map { $0.1 ?? "" }
        let indented = text.matches(of: /^(?:#  +| {4,})scripts\/bench(?: (.*?))?(?:  .*)?$/.anchorsMatchLineEndings())
            .map { $0.1 ?? "" }
        return (quoted + indented).map {
            NamedCommand(file: file, text: $0.split { $0.isWhitespace }.joined(separator: " "))
        }
    }

    /// The type of the command that the bench would run, or whose help it would print.
    static func parse(_ arguments: [String]) throws -> any ParsableCommand.Type {
        guard arguments.last == "--help" else { return type(of: try BenchCommand.parseAsRoot(arguments)) }
        // The parser prints the help of the default command for a name that it does not know.
        let name = arguments.dropLast().joined(separator: " ")
        guard name.isEmpty || subcommands[name] != nil else {
            throw ValidationError("There is no command “\(name)”.")
        }
        return subcommands[name] ?? BenchCommand.self
    }

    static let subcommands = Dictionary(
        uniqueKeysWithValues: BenchCommand.configuration.subcommands.map { ($0.configuration.commandName ?? "", $0) })

    static func text(of file: String) -> String {
        (try? Tool.contents(of: path(file))).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private static func path(_ name: String) -> String { checkout.appending(name).string }
    private static let checkout = (0..<4).reduce(into: FilePath(#filePath)) { path, _ in path.removeLastComponent() }
}
