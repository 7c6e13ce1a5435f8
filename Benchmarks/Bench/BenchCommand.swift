// kinecast-bench: what recording costs and keeps, and what broadcasting costs.
import ArgumentParser

@main
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kinecast-bench", abstract: "Measures recorders and broadcasts.",
        subcommands: [
            CompareCommand.self, VersionsCommand.self, BroadcastCommand.self, ConfinementCommand.self,
            ExpectationsCommand.self, ExchangeCommand.self, ImagingCommand.self, CameraCommand.self, PeersCommand.self,
            WaylandCommand.self, GoingLiveCommand.self,
            FeedCommand.self, WatchCommand.self, CrowdCommand.self, SwallowCommand.self, GlassCommand.self,
            RTMPCommand.self, RTMPFeedCommand.self, FaultsCommand.self, ViewersCommand.self, CrowdReaderCommand.self,
            TrimCommand.self,
        ], defaultSubcommand: CompareCommand.self)
}
