// Makes feeds as soon as the size of the frames is known, and the encoder's parameter sets if they are wanted. It also decides
// how many slots capture draws in, and in which memory.
import KineCapture
import KineImaging
import KineMedia
import KineRings
import Synchronization

/// A request for a feed.
package struct FeedRequest: Sendable {
    var samples: SampleRequirements
    /// The service's name, for messages.
    var reader: String
    /// The size of the camera's frames, if they are wanted.
    var cameraSize: PixelSize?
    /// The reader may share the memory of other readers' frames, which it can then read as long as it likes.
    var sharesMemory: Bool
    /// Called on any thread, once.
    var ready: @Sendable (Result<SampleFeed, TakeError>) -> Void

    package init(
        _ samples: SampleRequirements, of reader: String, cameraSize: PixelSize? = nil, sharesMemory: Bool = true,
        ready: @escaping @Sendable (Result<SampleFeed, TakeError>) -> Void
    ) {
        self.samples = samples
        self.reader = reader
        self.cameraSize = cameraSize
        self.sharesMemory = sharesMemory
        self.ready = ready
    }
}

/// Makes the feeds of one take. Any thread may call it.
package final class FeedFactory: Sendable {
    private struct State {
        /// The memory that capture draws in, and the most readers of it; nil unless readers may see it.
        var memory: (frames: FrameMemory, readers: Int)?
        /// The same, once the source is open.
        var store: FrameStore?
        /// Nil until the source is open.
        var distributor: FrameDistributor?
        /// The format of the newest frames; nil until the encoder is open.
        var format: VideoFormat?
        var annotation: [String: String] = [:]
        var sourceName: String?
        /// The reason why no feed can be made any more.
        var failure: TakeError?
        var requests: [FeedRequest] = []
        var conversions: [Conversion] = []
    }

    /// A conversion is owned by its feeds, and ends with the last of them.
    private struct Conversion {
        weak var frames: ConvertedFrames?
        let isShared: Bool
    }

    private let configuration: TakeConfiguration
    private let services: [SampleRequirements]
    private let sources: SourceRegistry
    private let audio: AudioPipeline
    private let state = Mutex(State())

    init(
        configuration: TakeConfiguration, services: [SampleRequirements], sources: SourceRegistry, audio: AudioPipeline
    ) {
        self.configuration = configuration
        self.services = services
        self.sources = sources
        self.audio = audio
    }

    var distributor: FrameDistributor? { state.withLock { $0.distributor } }
    /// The take's encoding; nil until the source is open.
    var plan: EncodingPlan? { distributor.map { plan($0) } }
    package var annotation: [String: String] { state.withLock { $0.annotation } }
    /// The source's name for a person; nil until it is open.
    package var sourceName: String? { state.withLock { $0.sourceName } }

    // MARK: From the take's threads

    /// The slots for frames of a visible size. Readers may see their memory if any wants the encoder's own frames.
    func makeSlots(size: PixelSize) throws(VideoSourceError) -> CaptureThread.Slots {
        let requirements = services.compactMap { self.requirements($0, size: size) }
        let readers = requirements.count(where: \.isNative)
        var slots = CaptureThread.Slots()
        slots.count += FrameSink.slotsEach * readers
        // The converter may still read a frame when the next one is drawn.
        if requirements.contains(where: { !$0.isNative || $0.framesPerSecond != nil }) { slots.count += 1 }
        guard readers > 0 else { return slots }
        guard slots.count <= FrameSlotLayout.slotLimit else {
            let limit = (FrameSlotLayout.slotLimit - CaptureThread.Slots().count - 1) / FrameSink.slotsEach
            throw VideoSourceError(
                "\(readers) destinations want uncompressed frames, and one take has room for \(limit); leave some out, or give them to "
                    + "a second take.")
        }
        let layout = FrameLayout(pixelFormat: .i420, size: size.roundedUpToEven)
        do throws(SharedMemory.Error) {
            let memory = try FrameMemory(
                layout: FrameSlotLayout(layout, visibleSize: size, slotCount: slots.count))
            slots.memory = FrameRing.Memory(base: memory.slot(0), owner: memory)
            state.withLock { $0.memory = (memory, readers) }
            return slots
        } catch .system(let call, let errno) {
            throw .noSharedMemory(call: call, errno)
        } catch {
            throw .noSharedMemory(call: "fcntl", .noMemory)  // only memory that was received has other faults
        }
    }

    /// The source is open: feeds without encoded frames can be made.
    func sourceOpened(_ distributor: FrameDistributor) {
        let canvas = distributor.canvas
        let (annotation, name) = describe(
            configuration, size: canvas.size, sourceSize: canvas.sourceSize ?? canvas.size)
        state.withLock { state in
            state.distributor = distributor
            (state.annotation, state.sourceName) = (annotation, name)
            state.store = state.memory.map {
                FrameStore($0.frames, references: distributor.canvas.references, readers: $0.readers)
            }
        }
        fulfilReadyRequests()
    }

    /// Describes the new source to extensions that start from now on, and names it.
    ///
    /// - Parameter sourceSize: its own size.
    func sourceSwitched(to source: TakeConfiguration.Source, sourceSize: PixelSize) {
        guard let size = distributor?.canvas.size else { return }
        var configuration = configuration
        configuration.source = source
        let (annotation, name) = describe(configuration, size: size, sourceSize: sourceSize)
        state.withLock { ($0.annotation, $0.sourceName) = (annotation, name) }
    }

    private func describe(
        _ configuration: TakeConfiguration, size: PixelSize, sourceSize: PixelSize
    ) -> (annotation: [String: String], name: String) {
        let kind = sources.kind(of: configuration)
        let annotation = SourceAnnotation.describe(kind, size: size)
        return (annotation, SourceAnnotation.name(of: configuration.source, kind, annotation, size: sourceSize))
    }

    func encoderOpened(_ format: VideoFormat) {
        state.withLock { $0.format = format }
        fulfilReadyRequests()
    }

    /// Feeds that are made from now on begin with this format.
    func formatChanged(to format: VideoFormat) { state.withLock { $0.format = format } }

    /// No feed can be made any more.
    func failed(_ failure: TakeError) {
        state.withLock { if $0.failure == nil { $0.failure = failure } }
        fulfilReadyRequests()
    }

    // MARK: From supervisors

    func request(_ request: FeedRequest) {
        state.withLock { $0.requests.append(request) }
        fulfilReadyRequests()
    }

    private func fulfilReadyRequests() {
        let answers = state.withLock { state -> [(FeedRequest, Result<SampleFeed, TakeError>)] in
            let requests = state.requests
            state.requests = []
            return requests.compactMap { request in
                if let result = answer(request, &state) { return (request, result) }
                state.requests.append(request)
                return nil
            }
        }
        for (request, result) in answers { request.ready(result) }
    }

    /// Nil while the frames' size or the encoder's format is not known.
    private func answer(_ request: FeedRequest, _ state: inout State) -> Result<SampleFeed, TakeError>? {
        if let failure = state.failure { return .failure(failure) }
        guard let distributor = state.distributor else { return nil }
        if let codecs = request.samples.codecs {
            let made = distributor.encoding.codec
            guard codecs.contains(made) else {
                return .failure(.otherCodec(codecs, service: request.reader, made))
            }
            guard state.format != nil else {
                distributor.encoding.prepare()
                return nil
            }
            if let interval = request.samples.keyframeInterval {
                distributor.encoding.shortenKeyframeInterval(to: interval)
            }
            if let most = request.samples.expectations?.maximumAccessUnit {
                distributor.encoding.limitAccessUnits(to: most)
            }
        }
        do {
            return .success(try make(request, distributor, &state))
        } catch {
            return .failure(.noMemory("\(error)"))
        }
    }

    private func make(
        _ request: FeedRequest, _ distributor: FrameDistributor, _ state: inout State
    ) throws -> SampleFeed {
        let samples = request.samples
        if let size = request.cameraSize { return try makeCameraFeed(size) }
        let size = distributor.canvas.size
        let tracks = audio.tracks(for: AudioRequirements(samples))
        let required = requirements(samples, size: size)
        let source = try required.map { try frameSource($0, request.sharesMemory, distributor, &state) }
        let sender = try StreamSender(
            video: samples.wantsEncodedVideo, frames: source?.store.memory.layout,
            sampleRingBytes: Self.ringBytes(
                samples.wantsEncodedVideo ? size : nil, hasPCM: tracks.contains { $0.audio.codec == .pcm }))
        let frames = source.map { source in
            FrameSink(
                sender: sender, store: source.store, origin: source.origin,
                framesPerSecond: required?.framesPerSecond, orientation: required?.orientation ?? .up)
        }
        let plan = plan(distributor, with: [samples])
        let stream = StreamDescription(
            framesPerSecond: frames?.framesPerSecond ?? configuration.video.framesPerSecond,
            video: samples.wantsEncodedVideo
                ? state.format.map { StreamDescription.EncodedVideo($0, averageBitrate: plan.averageBitrate) } : nil,
            frames: frames?.store.memory.layout, audio: tracks.map(\.audio), sampleRingBytes: sender.sampleRingBytes)
        return SampleFeed(
            sender: sender, stream: stream, frames: frames, tracks: tracks, limits: limits(of: samples, plan))
    }

    private func makeCameraFeed(_ size: PixelSize) throws -> SampleFeed {
        let camera = try CameraFrames(size: size)
        let layout = camera.store.memory.layout
        let sender = try StreamSender(
            video: false, frames: layout, sampleRingBytes: Self.ringBytes(nil, hasPCM: false))
        let stream = StreamDescription(
            framesPerSecond: configuration.video.framesPerSecond, video: nil, frames: layout, audio: [],
            sampleRingBytes: sender.sampleRingBytes)
        let frames = FrameSink(sender: sender, store: camera.store, origin: .camera(camera))
        return SampleFeed(sender: sender, stream: stream, frames: frames, tracks: [])
    }

    private func limits(of samples: SampleRequirements, _ plan: EncodingPlan) -> SampleFeed.Limits {
        let expectations = samples.expectations ?? .init()
        let isLimited = expectations.maximumBitrate != nil || configuration.video.maximumBitrate != nil
        return SampleFeed.Limits(
            bitrate: isLimited ? plan.ceiling : nil, accessUnit: expectations.maximumAccessUnit,
            stillInterval: expectations.stillFramesPerSecond.map { 1_000_000_000 / Int64($0) },
            followsFormat: expectations.followsFormat)
    }

    /// `further`: services that may have come later than the take's own.
    private func plan(_ distributor: FrameDistributor, with further: [SampleRequirements] = []) -> EncodingPlan {
        EncodingPlan(
            configuration, services: services + further, size: distributor.canvas.size,
            codecs: [distributor.encoding.codec])
    }

    private func requirements(_ samples: SampleRequirements, size: PixelSize) -> FrameRequirements? {
        FrameRequirements(
            samples, size: size, turn: configuration.video.orientation, colour: configuration.video.colour,
            framesPerSecond: configuration.video.framesPerSecond)
    }

    /// The memory with frames that meet the requirements, and their maker.
    private func frameSource(
        _ required: FrameRequirements, _ isShared: Bool, _ distributor: FrameDistributor, _ state: inout State
    ) throws(SharedMemory.Error) -> (store: FrameStore, origin: FrameSink.Origin) {
        if required.isNative, isShared, let store = state.store, store.hasRoom { return (store, .encoder) }
        state.conversions.removeAll { $0.frames == nil }
        for conversion in state.conversions where isShared && conversion.isShared {
            if let frames = conversion.frames, frames.requirements.hasSameFrames(as: required), frames.store.hasRoom {
                return (frames.store, .conversion(frames))
            }
        }
        let size = distributor.canvas.size
        let alike = services.count { requirements($0, size: size)?.hasSameFrames(as: required) == true }
        let frames = try ConvertedFrames(required, readers: isShared ? max(1, alike) : 1)
        state.conversions.append(Conversion(frames: frames, isShared: isShared))
        return (frames.store, .conversion(frames))
    }

    /// Room for some seconds of samples, and for the largest keyframe to be expected. Unused pages take no memory.
    private static func ringBytes(_ encodedSize: PixelSize?, hasPCM: Bool) -> Int {
        if let encodedSize { return max(2 << 20, encodedSize.area * 2) }
        return hasPCM ? 1 << 20 : 1 << 18
    }
}
