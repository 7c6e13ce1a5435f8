// The audio of a running take, which clients turn on and off.
import KineMedia
import KineTake
import KineText
import KineWire

extension EngineHost {
    func setMicrophone(isOn: Bool, for asker: Asker) {
        guard let opened else { return asker.refuse(.notBegun) }
        if opened.take.audio.has(.microphone) { setCaptured(.microphone, isOn: isOn) }
        guard opened.take.audio.set(.microphone, isOn: isOn) else {
            return asker.refuse(
                .unavailable,
                "This take was begun without a microphone; start another one with it, which can be off at first.")
        }
        clients.tellAll(.microphone(on: isOn))
        desktop?.microphone(isOn: isOn)
        asker.reply()
    }

    func setAppAudio(isOn: Bool, for asker: Asker) {
        guard let opened else { return asker.refuse(.notBegun) }
        guard opened.take.audio.set(.app, isOn: isOn) else {
            return asker.refuse(
                .unavailable, "This take was begun without the audio that is played; start another one with it.")
        }
        clients.tellAll(.appAudio(on: isOn))
        asker.reply()
    }

    func setAppAudioOutput(_ name: String, for asker: Asker) {
        guard let opened else { return asker.refuse(.notBegun) }
        guard let outputs = opened.take.audio.outputs else {
            return asker.refuse(
                .unavailable, "This take was begun without the audio of an output; start another one with it.")
        }
        guard outputs.contains(name) else {
            let names = outputs.map { $0.printable(limit: 200) }.joined(separator: ", ")
            return asker.refuse(
                .unavailable, "There is no output called \(name.printable(limit: 200)); there is: \(names).")
        }
        opened.take.audio.setOutput(name)
        condition.outputChanged()
        clients.tellAll(.appAudioOutput(name))
        asker.reply()
    }

    /// Sends a client the levels that it may have, or no more levels.
    func showAudioLevels(_ isOn: Bool, for asker: Asker) {
        if isOn {
            let program = clients.program(of: asker.client)
            let withheld = AudioLevels.disclosed(of: captured.now).filter { refusal(of: [$0], for: program) != nil }
            clients.levels.add(asker.client, without: withheld)
        } else {
            clients.levels.remove(asker.client)
        }
        measureLevels()
        asker.reply()
    }

    /// Measures the audio while a client wants its levels.
    func measureLevels() { opened?.take.audio.measureLevels(clients.levels.areWanted) }
}
