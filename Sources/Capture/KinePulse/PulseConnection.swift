// A connection to an audio server by libpulse's asynchronous interface: its loop, its state, and the server's
// inventory. Used by the thread that runs the loop; streams are in `PulseRecordStream`.
import CPulse
import KinePlatform

final class PulseConnection: CallbackTarget {
    package enum State: Equatable {
        case connecting, ready
        /// Refused, lost or never available.
        case failed(AudioServerFault)
    }

    private(set) var state = State.connecting
    private(set) var context: OpaquePointer?
    /// Whether the inventory must be requested again. Set by the server's events and by each new connection.
    var isStale = false

    private let loop: OpaquePointer
    private let server: String?
    private var gathering: AudioInventory?
    private var unanswered = 0
    private var completion: ((AudioInventory) -> Void)?

    /// `server` as in PULSE_SERVER; nil: by the environment and libpulse's configuration.
    init(server: String?) throws(AudioServerFault) {
        guard kine_load_pulse() != 0 else { throw .noLibrary }
        guard let loop = pa_mainloop_new() else { throw .outOfMemory }
        self.loop = loop
        self.server = server
    }

    deinit {
        close()
        pa_mainloop_free(loop)
    }

    /// Ends the sleep in `runOnce` from another thread.
    struct Waker: @unchecked Sendable {
        // Sendable: pa_mainloop_wakeup only writes to a pipe. The owner keeps the loop alive longer than its wakers.
        fileprivate let loop: OpaquePointer
        func wake() { pa_mainloop_wakeup(loop) }
    }

    var waker: Waker { Waker(loop: loop) }

    /// Starts to connect again. The outcome appears in `state` as the loop runs.
    func connect() {
        close()
        state = .connecting
        guard let context = pa_context_new(pa_mainloop_get_api(loop), "Kinecast") else {
            state = .failed(.outOfMemory)
            return
        }
        self.context = context
        pa_context_set_state_callback(
            context, { _, userdata in PulseConnection.from(userdata).contextChanged() }, callbackData)
        pa_context_set_subscribe_callback(
            context,
            { _, _, _, userdata in PulseConnection.from(userdata).isStale = true }, callbackData)
        // No autospawn: a recording must not start an audio server on a machine without one.
        if pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) < 0 { contextChanged() }
    }

    /// Ends the connection. Streams must be closed first.
    func close() {
        guard let context else { return }
        self.context = nil
        completion = nil
        pa_context_set_state_callback(context, nil, nil)
        pa_context_set_subscribe_callback(context, nil, nil)
        pa_context_disconnect(context)
        pa_context_unref(context)
    }

    /// Nanoseconds of sleep in the last `runOnce`.
    private(set) var sleepTime: Int64 = 0

    /// Sleeps until there is an event, `wake` is called or CLOCK_MONOTONIC reaches `deadline` (nanoseconds), and
    /// handles it. False if there was no event.
    @discardableResult
    func runOnce(until deadline: Int64?) -> Bool {
        var timeout: Int32 = -1
        if let deadline {
            // Rounded up to poll's milliseconds, so as not to wake before the deadline and then again.
            timeout = Int32(clamping: max(0, deadline - MonotonicClock.now() + 999_999) / 1_000_000 * 1000)
        }
        let before = MonotonicClock.now()
        guard pa_mainloop_prepare(loop, timeout) >= 0, pa_mainloop_poll(loop) >= 0 else { return false }
        sleepTime = MonotonicClock.now() - before
        return pa_mainloop_dispatch(loop) > 0
    }

    private func contextChanged() {
        guard let context else { return }
        switch pa_context_get_state(context) {
        case PA_CONTEXT_READY:
            state = .ready
            isStale = true
            let interest =
                PA_SUBSCRIPTION_MASK_SERVER.rawValue | PA_SUBSCRIPTION_MASK_SINK.rawValue
                | PA_SUBSCRIPTION_MASK_SOURCE.rawValue | PA_SUBSCRIPTION_MASK_SINK_INPUT.rawValue
                | PA_SUBSCRIPTION_MASK_SOURCE_OUTPUT.rawValue
            forget(pa_context_subscribe(context, pa_subscription_mask_t(rawValue: interest), nil, nil))
        case PA_CONTEXT_FAILED, PA_CONTEXT_TERMINATED:
            state = .failed(.pulse(PulseError(rawValue: pa_context_errno(context))))
            completion = nil
        default: break
        }
    }

    private func forget(_ operation: OpaquePointer?) {
        if let operation { pa_operation_unref(operation) }
    }

    /// Requests all devices and playing applications. `completion` is called once, in `runOnce`, or never if the
    /// connection is lost or another request follows first.
    func askInventory(_ completion: @escaping (AudioInventory) -> Void) {
        guard let context, state == .ready else { return }
        isStale = false
        gathering = AudioInventory()
        self.completion = completion
        unanswered = 5
        forget(
            pa_context_get_server_info(
                context,
                { _, info, userdata in
                    let connection = PulseConnection.from(userdata)
                    if let info {
                        let words = [string(info.pointee.server_name), string(info.pointee.server_version)]
                        connection.gathering?.server = words.compactMap(\.self).joined(separator: " ")
                        connection.gathering?.defaultOutput = string(info.pointee.default_sink_name)
                        connection.gathering?.defaultSource = string(info.pointee.default_source_name)
                    }
                    connection.answered()
                }, callbackData))
        forget(
            pa_context_get_sink_info_list(
                context,
                { _, info, end, userdata in
                    let connection = PulseConnection.from(userdata)
                    guard end == 0, let info = info?.pointee else { return connection.answered() }
                    guard let name = string(info.name), let monitor = string(info.monitor_source_name) else { return }
                    connection.gathering?.outputs.append(
                        .init(
                            index: info.index, name: name, description: string(info.description) ?? name,
                            monitor: monitor, monitorIndex: info.monitor_source,
                            links: links(module: info.owner_module, info.proplist), level: AudioLevel(monitorOf: info)))
                }, callbackData))
        forget(
            pa_context_get_source_info_list(
                context,
                { _, info, end, userdata in
                    let connection = PulseConnection.from(userdata)
                    guard end == 0, let info = info?.pointee else { return connection.answered() }
                    guard let name = string(info.name) else { return }
                    if info.channel_map.isNumbered {
                        connection.gathering?.numberedChannels[name] = Int(info.channel_map.channels)
                    }
                    guard info.monitor_of_sink == UInt32.max else {
                        let level = AudioLevel(isMuted: info.mute != 0, info.volume)
                        return connection.limit(output: info.monitor_of_sink, to: level)
                    }
                    connection.gathering?.microphones.append(
                        .init(name: name, description: string(info.description) ?? name))
                }, callbackData))
        forget(
            pa_context_get_sink_input_info_list(
                context,
                { _, info, end, userdata in
                    let connection = PulseConnection.from(userdata)
                    guard end == 0, let info = info?.pointee else { return connection.answered() }
                    connection.gathering?.playbacks.append(
                        .init(
                            index: info.index, output: info.sink,
                            application: string(pa_proplist_gets(info.proplist, "application.name")) ?? "",
                            binary: string(pa_proplist_gets(info.proplist, "application.process.binary")) ?? "",
                            isCorked: info.corked != 0,
                            links: links(module: info.owner_module, client: info.client, info.driver, info.proplist),
                            level: AudioLevel(isMuted: info.mute != 0, info.volume)))
                }, callbackData))
        forget(
            pa_context_get_source_output_info_list(
                context,
                { _, info, end, userdata in
                    let connection = PulseConnection.from(userdata)
                    guard end == 0, let info = info?.pointee else { return connection.answered() }
                    connection.gathering?.recordings.append(
                        .init(
                            source: info.source,
                            links: links(module: info.owner_module, client: info.client, info.driver, info.proplist)))
                }, callbackData))
    }

    /// A monitor has its own volume. The answer about sources comes after the one about sinks.
    private func limit(output index: UInt32, to level: AudioLevel) {
        guard level != .audible, let place = gathering?.outputs.firstIndex(where: { $0.index == index }) else { return }
        gathering?.outputs[place].level = level
    }

    private func answered() {
        unanswered -= 1
        guard unanswered == 0, let inventory = gathering, let completion else { return }
        gathering = nil
        self.completion = nil
        completion(inventory)
    }
}

extension AudioLevel {
    fileprivate init(isMuted: Bool, _ volume: pa_cvolume) {
        // The scale is cubic: a tenth is −60 dB.
        let isFaint = withUnsafePointer(to: volume) { pa_cvolume_max($0) } < 0x10000 / 10
        self = isMuted ? .muted : isFaint ? .faint : .audible
    }

    /// PulseAudio's monitors follow the server's own muting and volume, not the hardware's. PipeWire's follow neither,
    /// unless the sink has this property, as null sinks do.
    fileprivate init(monitorOf sink: pa_sink_info) {
        let isPipeWire = string(sink.driver) == "PipeWire"
        if isPipeWire, string(pa_proplist_gets(sink.proplist, "monitor.channel-volumes")) != "true" {
            self = .audible
            return
        }
        let level = AudioLevel(isMuted: sink.mute != 0, sink.volume)
        let byHardware = level == .muted ? PA_SINK_HW_MUTE_CTRL : PA_SINK_HW_VOLUME_CTRL
        self = sink.flags.rawValue & byHardware.rawValue == 0 ? level : .audible
    }
}

extension pa_channel_map {
    /// All channels are AUX0, AUX1, …
    fileprivate var isNumbered: Bool {
        let numbers = PA_CHANNEL_POSITION_AUX0.rawValue...PA_CHANNEL_POSITION_AUX31.rawValue
        return channels > 0
            && withUnsafeBytes(of: map) { map in
                map.assumingMemoryBound(to: pa_channel_position_t.self).prefix(Int(channels))
                    .allSatisfy { numbers.contains($0.rawValue) }
            }
    }
}

private func links(module: UInt32, _ properties: OpaquePointer?) -> Set<AudioLink> {
    let module: AudioLink? = module == UInt32.max ? nil : .module(module)
    let group = string(pa_proplist_gets(properties, "node.link-group")).map { AudioLink.group($0) }
    return Set([module, group].compactMap(\.self))
}

/// PulseAudio says of every client's stream that the module which talks with clients owns it.
private func links(
    module: UInt32, client: UInt32, _ driver: UnsafePointer<CChar>?, _ properties: OpaquePointer?
) -> Set<AudioLink> {
    let isOfClient = client != UInt32.max && string(driver) != "PipeWire"
    return links(module: isOfClient ? UInt32.max : module, properties)
}

private func string(_ text: UnsafePointer<CChar>?) -> String? { text.map { String(cString: $0) } }
