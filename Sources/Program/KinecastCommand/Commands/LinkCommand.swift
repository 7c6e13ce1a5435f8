// `kinecast link`: prints the links of a take's live page, or replaces them.
import ArgumentParser
import KineClient
import KineTakes
import KineWire

struct LinkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Print the link of a broadcast, or replace it with a new one.",
        discussion: """
            Anyone with the link can watch. With --renew the old links stop working and their viewers are disconnected; the \
            broadcast goes on.
            """)

    @OptionGroup var argument: TakeArgument

    @Flag(help: "Make a new link; the old one stops working.")
    var renew = false

    func run() throws {
        print(try argument.connect().links(isRenewed: renew))
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
