// kinecast-cast-producer MEMORY METAS FORMAT WIDTHxHEIGHT: a compositor's side of a screen cast, which does what real ones do rarely.
// It connects with PipeWire as the environment says, links itself with whatever wants to read, and does what the lines on its standard
// input say. On its standard output are `node NUMBER`, the states of its stream, and `done` after each command.
//
// MEMORY: sealed or unsealed, files of its own; pointer, memory of the daemon; graphics, nothing but linear memory of a graphics card,
// as it is called: these are files too.
// METAS: those that are offered, of header,crop,damage,transform,cursor; - for none.
//
//   pattern SEED                      the picture is a pattern
//   paint X Y WIDTH HEIGHT RRGGBB     a rectangle of one colour is painted into it
//   size WIDTHxHEIGHT                 another size, and a new format
//   frame KEY=VALUE…                  the picture, or less, goes out in a buffer. Without keys: complete, numbered and on time.
//     sequence=N time=NANOSECONDS     instead of the next number, and of now
//     damage=X,Y,W,H[;…]              instead of an empty list
//     crop=X,Y,W,H transform=N
//     stride=N layout=WxH             the bytes of a row, and the rows and columns that are written
//     told-stride=N offset=N bytes=N  what is said of it
//     corrupted=1 stale=1             with that flag; the pixels are left as they are in the buffer
//     once=1                          not sent where there is no buffer for it at once, but `lost`
//     cursor=ID,X,Y hot=X,Y bitmap=WxH,RRGGBBAA[,STRIDE]
//   shrink | grow                     every file of the stream's memory loses its contents, or has its size again, all zero
//   pause | resume | leave            the stream pauses, goes on, or is taken away
//   dismiss NUMBER TEXT               the reader's node gets an error and is taken away, as session managers do it
#include "picture.h"
#include <fcntl.h>
#include <pipewire/pipewire.h>
#include <spa/param/video/format-utils.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern int memfd_create(const char *name, unsigned flags);

static struct pw_main_loop *loop;
static struct pw_core *core;
static struct pw_registry *registry;
static struct pw_stream *stream;
static struct spa_source *retry;
// Begins a round again that PipeWire has lost, as it does while a reader is being linked.
static struct spa_source *again;
static struct picture picture;
static struct spa_video_info_raw format;
static uint32_t wanted_format;
static const char *memory_kind, *metas;
static uint64_t sequence;
static uint32_t linked_node = SPA_ID_INVALID;
// The clients of the nodes there are.
static struct {
    uint32_t node, client;
} clients[64];
static struct pw_buffer *made[64];
// A frame can be sent: there is a reader, and it has what was sent before. What comes faster is lost on the way, or stays there.
static bool is_ready;
static bool is_sending;
// The link to the reader has been active: before that, a round ends without the reader.
static bool is_linked;

static void carry_out_all(void);
// The command that waits for a buffer, and what was read after it.
static char input[1 << 16];
static size_t input_length;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void say(const char *what) {
    puts(what);
    fflush(stdout);
}

static uint32_t data_type(void) {
    if (strcmp(memory_kind, "pointer") == 0) return SPA_DATA_MemPtr;
    return strcmp(memory_kind, "graphics") == 0 ? SPA_DATA_DmaBuf : SPA_DATA_MemFd;
}

// MARK: Parameters

static const struct spa_pod *format_parameter(struct spa_pod_builder *builder) {
    struct spa_rectangle size = {picture.width, picture.height};
    struct spa_fraction none = {0, 1}, most = {1000, 1}, least = {1, 1};
    struct spa_pod_frame object;
    spa_pod_builder_push_object(builder, &object, SPA_TYPE_OBJECT_Format, SPA_PARAM_EnumFormat);
    spa_pod_builder_add(
        builder, SPA_FORMAT_mediaType, SPA_POD_Id(SPA_MEDIA_TYPE_video), SPA_FORMAT_mediaSubtype,
        SPA_POD_Id(SPA_MEDIA_SUBTYPE_raw), SPA_FORMAT_VIDEO_format, SPA_POD_Id(wanted_format), 0);
    if (strcmp(memory_kind, "graphics") == 0) {
        spa_pod_builder_prop(builder, SPA_FORMAT_VIDEO_modifier, SPA_POD_PROP_FLAG_MANDATORY);
        spa_pod_builder_long(builder, 0); // DRM_FORMAT_MOD_LINEAR
    }
    spa_pod_builder_add(
        builder, SPA_FORMAT_VIDEO_size, SPA_POD_Rectangle(&size), SPA_FORMAT_VIDEO_framerate,
        SPA_POD_Fraction(&none), SPA_FORMAT_VIDEO_maxFramerate,
        SPA_POD_CHOICE_RANGE_Fraction(&most, &least, &most), 0);
    return spa_pod_builder_pop(builder, &object);
}

static void offer_buffers(void) {
    static const struct {
        const char *name;
        uint32_t type, size;
    } kinds[] = {
        {"header", SPA_META_Header, sizeof(struct spa_meta_header)},
        {"crop", SPA_META_VideoCrop, sizeof(struct spa_meta_region)},
        {"damage", SPA_META_VideoDamage, 16 * sizeof(struct spa_meta_region)},
        {"transform", SPA_META_VideoTransform, sizeof(struct spa_meta_videotransform)},
        {"cursor", SPA_META_Cursor, sizeof(struct spa_meta_cursor) + sizeof(struct spa_meta_bitmap) + 64 * 64 * 4},
    };
    uint8_t memory[4096];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *parameters[8];
    // Room for the widest stride that a test asks for.
    int stride = format.size.width * 4 + 256, count = 0;
    int types = 1 << data_type();
    parameters[count++] = spa_pod_builder_add_object(
        &builder, SPA_TYPE_OBJECT_ParamBuffers, SPA_PARAM_Buffers, SPA_PARAM_BUFFERS_buffers,
        SPA_POD_CHOICE_RANGE_Int(6, 2, 8), SPA_PARAM_BUFFERS_blocks, SPA_POD_Int(1), SPA_PARAM_BUFFERS_size,
        SPA_POD_Int(stride * format.size.height), SPA_PARAM_BUFFERS_stride, SPA_POD_Int(stride),
        SPA_PARAM_BUFFERS_dataType, SPA_POD_CHOICE_FLAGS_Int(types));
    for (size_t index = 0; index < SPA_N_ELEMENTS(kinds); index++)
        if (strstr(metas, kinds[index].name))
            parameters[count++] = spa_pod_builder_add_object(
                &builder, SPA_TYPE_OBJECT_ParamMeta, SPA_PARAM_Meta, SPA_PARAM_META_type,
                SPA_POD_Id(kinds[index].type), SPA_PARAM_META_size, SPA_POD_Int(kinds[index].size));
    pw_stream_update_params(stream, parameters, count);
}

static void parameter_changed(void *data, uint32_t id, const struct spa_pod *parameter) {
    if (id != SPA_PARAM_Format || !parameter) return;
    spa_format_video_raw_parse(parameter, &format);
    printf("format %ux%u\n", format.size.width, format.size.height);
    fflush(stdout);
    offer_buffers();
}

// MARK: Buffers

static void add_buffer(void *context, struct pw_buffer *buffer) {
    struct spa_data *data = &buffer->buffer->datas[0];
    if (strcmp(memory_kind, "pointer") == 0) return;
    data->type = data_type();
    data->flags = SPA_DATA_FLAG_READWRITE;
    data->mapoffset = 0;
    data->maxsize = (format.size.width * 4 + 256) * format.size.height;
    data->fd = memfd_create("cast", 3 /* MFD_CLOEXEC | MFD_ALLOW_SEALING */);
    if (data->fd < 0 || ftruncate(data->fd, data->maxsize) < 0) fail("memory");
    // F_ADD_SEALS: F_SEAL_SHRINK | F_SEAL_GROW
    if (strcmp(memory_kind, "sealed") == 0 && fcntl(data->fd, 1033, 6) < 0) fail("seals");
    data->data = mmap(NULL, data->maxsize, PROT_READ | PROT_WRITE, MAP_SHARED, data->fd, 0);
    if (data->data == MAP_FAILED) fail("mmap");
    for (int index = 0; index < 64; index++)
        if (!made[index]) {
            made[index] = buffer;
            break;
        }
}

static void remove_buffer(void *context, struct pw_buffer *buffer) {
    struct spa_data *data = &buffer->buffer->datas[0];
    if (strcmp(memory_kind, "pointer") == 0) return;
    munmap(data->data, data->maxsize);
    close(data->fd);
    for (int index = 0; index < 64; index++)
        if (made[index] == buffer) made[index] = NULL;
}

// MARK: A frame

// The value of a key in a line of KEY=VALUE; null where it is not there.
static const char *value(const char *line, const char *key) {
    size_t length = strlen(key);
    for (const char *place = line; (place = strstr(place, key)); place++)
        if (place > line && place[-1] == ' ' && place[length] == '=') return place + length + 1;
    return NULL;
}

static int64_t number(const char *line, const char *key, int64_t otherwise) {
    const char *text = value(line, key);
    return text ? strtoll(text, NULL, 10) : otherwise;
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// Reads X,Y,W,H; widths may be beyond 31 bits.
static const char *read_region(const char *text, struct spa_region *region) {
    char *end;
    region->position.x = (int32_t)strtoll(text, &end, 10);
    region->position.y = (int32_t)strtoll(end + 1, &end, 10);
    region->size.width = (uint32_t)strtoll(end + 1, &end, 10);
    region->size.height = (uint32_t)strtoll(end + 1, &end, 10);
    return end;
}

static void write_cursor(const char *line, struct spa_meta_cursor *cursor) {
    const char *text = value(line, "cursor");
    // Left as it is in the buffer, as GNOME leaves it.
    if (!text) {
        cursor->id = 0;
        return;
    }
    char *end;
    cursor->id = strtoul(text, &end, 10);
    cursor->position.x = strtol(end + 1, &end, 10);
    cursor->position.y = strtol(end + 1, &end, 10);
    cursor->hotspot = SPA_POINT(0, 0);
    cursor->bitmap_offset = 0;
    if ((text = value(line, "hot"))) {
        cursor->hotspot.x = strtol(text, &end, 10);
        cursor->hotspot.y = strtol(end + 1, &end, 10);
    }
    if (!(text = value(line, "bitmap"))) return;
    cursor->bitmap_offset = sizeof *cursor;
    struct spa_meta_bitmap *bitmap = SPA_PTROFF(cursor, sizeof *cursor, struct spa_meta_bitmap);
    bitmap->format = SPA_VIDEO_FORMAT_RGBA;
    bitmap->offset = sizeof *bitmap;
    uint32_t width = bitmap->size.width = strtoul(text, &end, 10);
    uint32_t height = bitmap->size.height = strtoul(end + 1, &end, 10);
    uint32_t colour = strtoul(end + 1, &end, 16);
    bitmap->stride = *end == ',' ? strtol(end + 1, &end, 10) : width * 4;
    if (width > 64 || height > 64 || bitmap->stride < 0 || bitmap->stride > 256) return; // only told
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            for (int byte = 0; byte < 4; byte++)
                *SPA_PTROFF(bitmap, sizeof *bitmap + y * bitmap->stride + x * 4 + byte, uint8_t) = colour >> (24 - 8 * byte);
}

static void write_metas(const char *line, struct spa_buffer *buffer) {
    struct spa_meta_header *header = spa_buffer_find_meta_data(buffer, SPA_META_Header, sizeof *header);
    sequence = number(line, "sequence", sequence + 1);
    if (header) {
        header->seq = sequence;
        header->pts = number(line, "time", now());
        header->flags = 0;
    }
    const char *text;
    struct spa_meta_region *crop = spa_buffer_find_meta_data(buffer, SPA_META_VideoCrop, sizeof *crop);
    if (crop) {
        crop->region = SPA_REGION(0, 0, format.size.width, format.size.height);
        if ((text = value(line, "crop"))) read_region(text, &crop->region);
    }
    struct spa_meta *damage = spa_buffer_find_meta(buffer, SPA_META_VideoDamage);
    if (damage) {
        struct spa_meta_region *region;
        text = value(line, "damage");
        spa_meta_for_each(region, damage) {
            region->region = SPA_REGION(0, 0, 0, 0);
            if (text) {
                text = read_region(text, &region->region);
                text = *text == ';' ? text + 1 : NULL;
            }
        }
    }
    struct spa_meta_videotransform *transform =
        spa_buffer_find_meta_data(buffer, SPA_META_VideoTransform, sizeof *transform);
    if (transform) transform->transform = number(line, "transform", 0);
    struct spa_meta_cursor *cursor = spa_buffer_find_meta_data(buffer, SPA_META_Cursor, sizeof *cursor);
    if (cursor) write_cursor(line, cursor);
}

// `trigger_done` comes at its end. A round without a frame comes first: after it, the reader takes part.
static void begin_round(void) {
    is_ready = false;
    if (!is_linked || pw_stream_get_state(stream, NULL) != PW_STREAM_STATE_STREAMING) return;
    pw_stream_trigger_process(stream);
    struct timespec later = {0, 500000000};
    pw_loop_update_timer(pw_main_loop_get_loop(loop), again, &later, &later, false);
}

// False where there is no buffer yet, or no reader for it.
static bool send_frame(const char *line) {
    if (!is_ready) return false;
    struct pw_buffer *buffer = pw_stream_dequeue_buffer(stream);
    if (!buffer && value(line, "once")) {
        say("lost");
        say("done");
        return true;
    }
    if (!buffer) return false;
    struct spa_data *data = &buffer->buffer->datas[0];
    uint32_t width = format.size.width, height = format.size.height;
    const char *layout = value(line, "layout");
    if (layout) sscanf(layout, "%ux%u", &width, &height);
    uint32_t stride = number(line, "stride", width * bytes_of(format.format));
    uint32_t offset = number(line, "offset", 0);
    if (!value(line, "stale") && (uint64_t)offset + (uint64_t)stride * height <= data->maxsize)
        picture_copy(&picture, format.format, width, height, stride, (uint8_t *)data->data + offset);
    data->chunk->offset = offset;
    data->chunk->size = number(line, "bytes", (int64_t)stride * height);
    data->chunk->stride = number(line, "told-stride", stride);
    data->chunk->flags = value(line, "corrupted") ? SPA_CHUNK_FLAG_CORRUPTED : 0;
    write_metas(line, buffer->buffer);
    pw_stream_queue_buffer(stream, buffer);
    is_sending = true;
    begin_round();
    return true;
}

static void begin_again(void *context, uint64_t expirations) {
    if (is_linked && !is_ready) begin_round();
}

// MARK: Commands

static void dismiss(int error, const char *text) {
    for (size_t index = 0; index < SPA_N_ELEMENTS(clients); index++) {
        if (clients[index].node != linked_node) continue;
        struct pw_client *client =
            pw_registry_bind(registry, clients[index].client, PW_TYPE_INTERFACE_Client, PW_VERSION_CLIENT, 0);
        pw_client_error(client, linked_node, -error, text);
    }
    pw_registry_destroy(registry, linked_node);
}

// False where the command has to wait.
static bool carry_out(const char *line) {
    unsigned first, second, third, fourth, fifth;
    int length = 0;
    if (sscanf(line, "pattern %u", &first) == 1) {
        picture_fill_pattern(&picture, first);
    } else if (sscanf(line, "paint %u %u %u %u %x", &first, &second, &third, &fourth, &fifth) == 5) {
        picture_paint(&picture, first, second, third, fourth, fifth);
    } else if (sscanf(line, "size %ux%u", &first, &second) == 2) {
        picture_resize(&picture, first, second);
        uint8_t memory[1024];
        struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
        const struct spa_pod *parameter = format_parameter(&builder);
        pw_stream_update_params(stream, &parameter, 1);
    } else if (strncmp(line, "frame", 5) == 0) {
        return send_frame(line);
    } else if (strcmp(line, "shrink") == 0 || strcmp(line, "grow") == 0) {
        for (int index = 0; index < 64; index++) {
            if (!made[index]) continue;
            struct spa_data *data = &made[index]->buffer->datas[0];
            if (ftruncate(data->fd, strcmp(line, "grow") ? 0 : data->maxsize) < 0) fail("shrink");
        }
    } else if (strcmp(line, "pause") == 0) {
        pw_stream_set_active(stream, false);
    } else if (strcmp(line, "resume") == 0) {
        pw_stream_set_active(stream, true);
    } else if (strcmp(line, "leave") == 0) {
        pw_stream_disconnect(stream);
    } else if (sscanf(line, "dismiss %u %n", &first, &length) == 1) {
        dismiss(first, line + length);
    } else {
        fprintf(stderr, "unknown command: %s\n", line);
        exit(1);
    }
    say("done");
    return true;
}

static void carry_out_all(void) {
    // A command may end in one of the calls by which it is carried out.
    static bool is_at_it;
    char *end;
    if (is_at_it) return;
    is_at_it = true;
    while ((end = memchr(input, '\n', input_length))) {
        *end = 0;
        if (!carry_out(input)) {
            *end = '\n';
            struct timespec soon = {0, 2000000};
            pw_loop_update_timer(pw_main_loop_get_loop(loop), retry, &soon, NULL, false);
            break;
        }
        input_length -= end + 1 - input;
        memmove(input, end + 1, input_length);
    }
    is_at_it = false;
}

static void trigger_done(void *context) {
    is_ready = is_linked;
    if (is_sending) say("done");
    is_sending = false;
    carry_out_all();
}

static void retry_now(void *context, uint64_t expirations) { carry_out_all(); }

static void read_input(void *context, int descriptor, uint32_t mask) {
    ssize_t count = read(descriptor, input + input_length, sizeof input - input_length);
    if (count <= 0) exit(0);
    input_length += count;
    carry_out_all();
}

// MARK: The connection

static void state_changed(void *data, enum pw_stream_state old, enum pw_stream_state state, const char *error) {
    if (old == PW_STREAM_STATE_CONNECTING && state == PW_STREAM_STATE_PAUSED) {
        printf("node %u\n", pw_stream_get_node_id(stream));
        fflush(stdout);
    }
    say(pw_stream_state_as_string(state));
    begin_round();
}

static void link_changed(void *data, const struct pw_link_info *info) {
    // It may not be active again after a pause, though frames pass.
    if (info->state != PW_LINK_STATE_ACTIVE || is_linked) return;
    is_linked = true;
    begin_round();
}

static void note_client(uint32_t id, const struct spa_dict *properties) {
    const char *client = spa_dict_lookup(properties, PW_KEY_CLIENT_ID);
    if (!client) return;
    for (size_t index = 0; index < SPA_N_ELEMENTS(clients); index++) {
        if (clients[index].client) continue;
        clients[index].node = id;
        clients[index].client = strtoul(client, NULL, 10);
        return;
    }
}

// Links this node with the first reader's port that comes, as a session manager would.
static void global_added(
    void *data, uint32_t id, uint32_t permissions, const char *type, uint32_t version, const struct spa_dict *properties) {
    if (properties && strcmp(type, PW_TYPE_INTERFACE_Node) == 0) note_client(id, properties);
    if (!properties || strcmp(type, PW_TYPE_INTERFACE_Port) != 0) return;
    const char *direction = spa_dict_lookup(properties, PW_KEY_PORT_DIRECTION);
    const char *node = spa_dict_lookup(properties, PW_KEY_NODE_ID);
    if (!direction || !node || strcmp(direction, "in") != 0) return;
    uint32_t reader = strtoul(node, NULL, 10);
    if (reader == linked_node) return;
    linked_node = reader;
    char own[16];
    snprintf(own, sizeof own, "%u", pw_stream_get_node_id(stream));
    struct spa_dict_item items[] = {
        SPA_DICT_ITEM_INIT(PW_KEY_LINK_OUTPUT_NODE, own), SPA_DICT_ITEM_INIT(PW_KEY_LINK_INPUT_NODE, node)};
    static const struct pw_link_events events = {PW_VERSION_LINK_EVENTS, .info = link_changed};
    struct pw_link *link = pw_core_create_object(
        core, "link-factory", PW_TYPE_INTERFACE_Link, PW_VERSION_LINK, &SPA_DICT_INIT_ARRAY(items), 0);
    struct spa_hook *hook = calloc(1, sizeof *hook);
    if (!link || !hook) fail("link");
    is_linked = false;
    pw_link_add_listener(link, hook, &events, NULL);
}

// PipeWire uses numbers again: a later reader may have that of one that has gone.
static void global_removed(void *data, uint32_t id) {
    if (id == linked_node) linked_node = SPA_ID_INVALID;
    for (size_t index = 0; index < SPA_N_ELEMENTS(clients); index++)
        if (clients[index].node == id) clients[index].client = 0;
}

static void core_failed(void *data, uint32_t id, int number, int result, const char *message) {
    fprintf(stderr, "PipeWire: %s (%d)\n", message, result);
    if (id == PW_ID_CORE) exit(1);
}

static uint32_t format_named(const char *name) {
    static const struct {
        const char *name;
        uint32_t format;
    } formats[] = {
        {"bgrx", SPA_VIDEO_FORMAT_BGRx}, {"bgra", SPA_VIDEO_FORMAT_BGRA}, {"rgbx", SPA_VIDEO_FORMAT_RGBx},
        {"rgba", SPA_VIDEO_FORMAT_RGBA}, {"bgr", SPA_VIDEO_FORMAT_BGR},   {"rgb", SPA_VIDEO_FORMAT_RGB},
        {"yuy2", SPA_VIDEO_FORMAT_YUY2},
    };
    for (size_t index = 0; index < SPA_N_ELEMENTS(formats); index++)
        if (strcmp(name, formats[index].name) == 0) return formats[index].format;
    exit(64);
}

int main(int count, char **arguments) {
    static const struct pw_stream_events stream_events = {
        PW_VERSION_STREAM_EVENTS,         .state_changed = state_changed, .param_changed = parameter_changed,
        .add_buffer = add_buffer,         .remove_buffer = remove_buffer,
        .trigger_done = trigger_done,
    };
    static const struct pw_registry_events registry_events = {
        PW_VERSION_REGISTRY_EVENTS, .global = global_added, .global_remove = global_removed};
    static const struct pw_core_events core_events = {PW_VERSION_CORE_EVENTS, .error = core_failed};
    unsigned width, height;
    if (count != 5 || sscanf(arguments[4], "%ux%u", &width, &height) != 2) return 64;
    memory_kind = arguments[1];
    metas = arguments[2];
    wanted_format = format_named(arguments[3]);
    picture_resize(&picture, width, height);
    pw_init(NULL, NULL);
    loop = pw_main_loop_new(NULL);
    struct pw_loop *events = pw_main_loop_get_loop(loop);
    struct pw_context *context = pw_context_new(events, NULL, 0);
    if (!(core = pw_context_connect(context, NULL, 0))) fail("PipeWire");
    struct spa_hook core_hook, registry_hook, stream_hook;
    pw_core_add_listener(core, &core_hook, &core_events, NULL);
    registry = pw_core_get_registry(core, PW_VERSION_REGISTRY, 0);
    pw_registry_add_listener(registry, &registry_hook, &registry_events, NULL);
    stream = pw_stream_new(core, "cast", pw_properties_new(PW_KEY_MEDIA_CLASS, "Video/Source", NULL));
    pw_stream_add_listener(stream, &stream_hook, &stream_events, NULL);
    uint8_t memory[1024];
    struct spa_pod_builder builder = SPA_POD_BUILDER_INIT(memory, sizeof memory);
    const struct spa_pod *parameter = format_parameter(&builder);
    int allocates = strcmp(memory_kind, "pointer") ? PW_STREAM_FLAG_ALLOC_BUFFERS : PW_STREAM_FLAG_MAP_BUFFERS;
    if (pw_stream_connect(stream, PW_DIRECTION_OUTPUT, PW_ID_ANY, PW_STREAM_FLAG_DRIVER | allocates, &parameter, 1) < 0)
        fail("stream");
    retry = pw_loop_add_timer(events, retry_now, NULL);
    again = pw_loop_add_timer(events, begin_again, NULL);
    pw_loop_add_io(events, STDIN_FILENO, SPA_IO_IN | SPA_IO_HUP, false, read_input, NULL);
    return pw_main_loop_run(loop) < 0;
}
