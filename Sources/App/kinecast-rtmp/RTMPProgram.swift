// The program's entry: a broadcast for the engine, or the check of one destination for the command line.
import CLinux
import KineWire
import KinecastExtension

@main enum RTMPProgram {
    @MainActor
    static func main() async {
        // Before the stream key is in this process's memory.
        kine_forbid_dump()
        PassedFiles.forbidExecution()
        if CommandLine.arguments.dropFirst() == [DestinationReport.option] {
            await DestinationCheck.run()
        } else {
            await RTMPBroadcastHandler.main()
        }
    }
}
