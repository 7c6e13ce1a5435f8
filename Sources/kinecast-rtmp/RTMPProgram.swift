// The program: a broadcast for the engine, or the trial of one destination for the command line.
import KineRelay

@main enum RTMPProgram {
    @MainActor
    static func main() async {
        if CommandLine.arguments.dropFirst() == [DestinationReport.option] {
            await DestinationTrial.answer()
        } else {
            await RTMPBroadcastHandler.main()
        }
    }
}
