// `kinecast link`: the links of a take's live page, and new ones.
import ArgumentParser
import KineControl
import KinePlatform

struct LinkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Print the link of a broadcast, or replace it by a new one.",
        discussion: """
            Anyone with the link can watch. With --renew the links there were open nothing any more, and their viewers are let \
            go; the broadcast goes on.
            """)

    @OptionGroup var argument: TakeArgument

    @Flag(help: "Make a new link; the old one opens nothing any more.")
    var renew = false

    func run() throws {
        let old = try argument.ask(.status, within: 10) { if case .status(let status) = $0 { status } else { nil } }
        guard old.destinations.contains(where: { $0.link != nil && $0.phase != .ended }) else {
            throw CommandFailure(
                status: ExitStatus.unavailable,
                message: "Take \(old.id) has no link; kinecast broadcast without --to starts a broadcast that has one.")
        }
        guard renew else { return print(old) }
        // The new links come one event at a time, and all are in a status that is asked for behind the last.
        _ = try argument.ask(.renewLinks, within: 10) {
            if case .destination(let event) = $0 { Self.link(event) } else { nil }
        }
        print(try argument.ask(.status, within: 10) { if case .status(let status) = $0 { status } else { nil } })
    }

    private static func link(_ event: DestinationEvent) -> String? {
        if case .link(let link) = event.kind { link } else { nil }
    }

    private func print(_ status: TakeStatus) {
        for destination in status.destinations where destination.phase != .ended {
            guard let link = destination.link else { continue }
            guard argument.json else {
                Terminal.standardOutput.line(link)
                destination.playerLink.map(Terminal.standardOutput.line)
                continue
            }
            JSONEvents.write(
                Line(
                    destination: destination.destination, label: destination.label, link: link,
                    playerLink: destination.playerLink))
        }
    }

    private struct Line: Encodable {
        var destination: Int
        var label: String
        var link: String
        var playerLink: String?
    }
}
