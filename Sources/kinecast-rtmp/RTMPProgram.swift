// The program: a broadcast for the engine, or the trial of one destination for the command line.
import CLinux
import KineRelay
import KinecastExtension

@main enum RTMPProgram {
    @MainActor
    static func main() async {
        // Before the key is in its memory.
        kine_forbid_dump()
        PassedFiles.forbidExecution()
        if CommandLine.arguments.dropFirst() == [DestinationReport.option] {
            await DestinationTrial.answer()
        } else {
            await RTMPBroadcastHandler.main()
        }
    }
}
