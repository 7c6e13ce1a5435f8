// Sources, sessions and frames. A first capture is carried out at once, each later one after the next change. Nothing is written into a
// buffer but what its client says that it misses, and what has changed since the last frame of the session.
#include "compositor.h"
#include <stdlib.h>
#include <time.h>

struct session {
    struct wl_list link;
    struct wl_resource *resource;
    // Null after `stopped`.
    struct output *output;
    bool has_pointer, has_given_frame;
    struct rects damage;
    struct frame *frame;
};

struct frame {
    struct wl_resource *resource;
    // Null when that has gone.
    struct session *session;
    struct wl_resource *buffer;
    struct wl_listener buffer_destroyed;
    struct rects missing;
    bool is_captured, is_over;
};

static void destroy(struct wl_client *client, struct wl_resource *resource) {
    (void)client;
    wl_resource_destroy(resource);
}

// MARK: Pixels

static int bytes_per_pixel(uint32_t format) {
    switch (format) {
    case WL_SHM_FORMAT_RGB888:
    case WL_SHM_FORMAT_BGR888: return 3;
    case WL_SHM_FORMAT_RGB565: return 2;
    default: return 4;
    }
}

static uint32_t ten_bits(uint32_t value) { return value << 2 | value >> 6; }

static void write_pixel(unsigned char *target, uint32_t format, uint32_t colour) {
    uint32_t red = colour >> 16 & 255, green = colour >> 8 & 255, blue = colour & 255, word = 0;
    switch (format) {
    case WL_SHM_FORMAT_ABGR8888:
    case WL_SHM_FORMAT_XBGR8888:
    case WL_SHM_FORMAT_BGR888: word = blue << 16 | green << 8 | red; break;
    case WL_SHM_FORMAT_XRGB2101010: word = ten_bits(red) << 20 | ten_bits(green) << 10 | ten_bits(blue); break;
    case WL_SHM_FORMAT_XBGR2101010: word = ten_bits(blue) << 20 | ten_bits(green) << 10 | ten_bits(red); break;
    case WL_SHM_FORMAT_RGB565: word = red >> 3 << 11 | green >> 2 << 5 | blue >> 3; break;
    default: word = colour;
    }
    for (int index = 0; index < bytes_per_pixel(format); index++) target[index] = word >> 8 * index;
}

static uint32_t colour_at(const struct output *output, bool has_pointer, int x, int y) {
    bool is_pointer = has_pointer && output->cursor_x >= 0 && x >= output->cursor_x && x < output->cursor_x + 8 &&
                      y >= output->cursor_y && y < output->cursor_y + 8;
    return is_pointer ? output->cursor : output->pixels[y * output->width + x];
}

static void write_rect(struct wl_shm_buffer *buffer, const struct session *session, struct rect rect) {
    const struct output *output = session->output;
    uint32_t format = wl_shm_buffer_get_format(buffer);
    int stride = wl_shm_buffer_get_stride(buffer), bytes = bytes_per_pixel(format);
    unsigned char *pixels = wl_shm_buffer_get_data(buffer);
    // Damage may be told that no picture has.
    long left = rect.x < 0 ? 0 : rect.x, top = rect.y < 0 ? 0 : rect.y;
    long right = (long)rect.x + rect.width, bottom = (long)rect.y + rect.height;
    if (right > output->width) right = output->width;
    if (bottom > output->height) bottom = output->height;
    for (long y = top; y < bottom; y++)
        for (long x = left; x < right; x++)
            write_pixel(pixels + y * stride + x * bytes, format, colour_at(output, session->has_pointer, x, y));
}

// MARK: Frames

static void fail(struct frame *frame, uint32_t reason) {
    frame->is_over = true;
    wl_resource_post_event(frame->resource, FRAME_FAILED, reason);
}

static bool is_wanted(const struct output *output, struct wl_shm_buffer *buffer) {
    if (!buffer || wl_shm_buffer_get_width(buffer) != (int)output->told_width ||
        wl_shm_buffer_get_height(buffer) != (int)output->told_height)
        return false;
    for (int index = 0; index < output->format_count; index++)
        if (output->formats[index] == wl_shm_buffer_get_format(buffer)) return true;
    return false;
}

static void try_capture(struct session *session) {
    struct frame *frame = session->frame;
    struct output *output = session->output;
    if (!frame || !output || output->is_held || !frame->is_captured || frame->is_over) return;
    if (output->failure >= 0) {
        fail(frame, output->failure);
        output->failure = -1;
        return;
    }
    struct wl_shm_buffer *buffer = frame->buffer ? wl_shm_buffer_get(frame->buffer) : 0;
    if (!is_wanted(output, buffer)) return fail(frame, FAILED_BUFFER_CONSTRAINTS);
    struct rect all = {0, 0, output->width, output->height};
    if (session->has_given_frame && session->damage.count == 0) return;
    if (!session->has_given_frame) {
        session->damage.count = 0;
        add_rect(&session->damage, all);
    }
    wl_shm_buffer_begin_access(buffer);
    for (int index = 0; index < frame->missing.count; index++) write_rect(buffer, session, frame->missing.list[index]);
    for (int index = 0; index < session->damage.count; index++) write_rect(buffer, session, session->damage.list[index]);
    wl_shm_buffer_end_access(buffer);
    wl_resource_post_event(frame->resource, FRAME_TRANSFORM, (uint32_t)output->transform);
    for (int index = 0; index < session->damage.count; index++) {
        struct rect rect = session->damage.list[index];
        wl_resource_post_event(frame->resource, FRAME_DAMAGE, rect.x, rect.y, rect.width, rect.height);
    }
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    wl_resource_post_event(frame->resource, FRAME_PRESENTATION_TIME, (uint32_t)((uint64_t)now.tv_sec >> 32),
                           (uint32_t)now.tv_sec, (uint32_t)now.tv_nsec);
    wl_resource_post_event(frame->resource, FRAME_READY);
    frame->is_over = true;
    session->has_given_frame = true;
    session->damage.count = 0;
    output->ready_count++;
}

static void attach_buffer(struct wl_client *client, struct wl_resource *resource, struct wl_resource *buffer) {
    (void)client;
    struct frame *frame = wl_resource_get_user_data(resource);
    if (frame->is_captured) return wl_resource_post_error(resource, FRAME_ALREADY_CAPTURED, "captured already");
    if (frame->buffer) wl_list_remove(&frame->buffer_destroyed.link);
    frame->buffer = buffer;
    wl_resource_add_destroy_listener(buffer, &frame->buffer_destroyed);
}

static void buffer_destroyed(struct wl_listener *listener, void *data) {
    (void)data;
    struct frame *frame = wl_container_of(listener, frame, buffer_destroyed);
    frame->buffer = 0;
}

static void damage_buffer(struct wl_client *client, struct wl_resource *resource, int32_t x, int32_t y, int32_t width,
                          int32_t height) {
    (void)client;
    struct frame *frame = wl_resource_get_user_data(resource);
    if (frame->is_captured) return wl_resource_post_error(resource, FRAME_ALREADY_CAPTURED, "captured already");
    if (x < 0 || y < 0 || width <= 0 || height <= 0)
        return wl_resource_post_error(resource, FRAME_INVALID_BUFFER_DAMAGE, "no such damage");
    add_rect(&frame->missing, (struct rect){x, y, width, height});
}

static void capture(struct wl_client *client, struct wl_resource *resource) {
    (void)client;
    struct frame *frame = wl_resource_get_user_data(resource);
    if (frame->is_captured) return wl_resource_post_error(resource, FRAME_ALREADY_CAPTURED, "captured already");
    if (!frame->buffer) return wl_resource_post_error(resource, FRAME_NO_BUFFER, "no buffer");
    frame->is_captured = true;
    if (!frame->session || !frame->session->output) return fail(frame, FAILED_STOPPED);
    frame->session->output->capture_count++;
    frame->session->output->missing = frame->missing;
    try_capture(frame->session);
}

static const struct frame_requests frame_requests = {destroy, attach_buffer, damage_buffer, capture};

static void frame_destroyed(struct wl_resource *resource) {
    struct frame *frame = wl_resource_get_user_data(resource);
    if (frame->session) frame->session->frame = 0;
    if (frame->buffer) wl_list_remove(&frame->buffer_destroyed.link);
    free(frame);
}

// MARK: Sessions

static void create_frame(struct wl_client *client, struct wl_resource *resource, uint32_t number) {
    struct session *session = wl_resource_get_user_data(resource);
    if (session->frame) return wl_resource_post_error(resource, SESSION_DUPLICATE_FRAME, "there is a frame");
    struct frame *frame = calloc(1, sizeof *frame);
    frame->session = session;
    frame->buffer_destroyed.notify = buffer_destroyed;
    frame->resource = wl_resource_create(client, &frame_interface, 1, number);
    wl_resource_set_implementation(frame->resource, &frame_requests, frame, frame_destroyed);
    session->frame = frame;
}

static const struct session_requests session_requests = {create_frame, destroy};

static void session_destroyed(struct wl_resource *resource) {
    struct session *session = wl_resource_get_user_data(resource);
    if (session->frame) session->frame->session = 0;
    wl_list_remove(&session->link);
    free(session);
}

static void send_constraints(struct session *session) {
    const struct output *output = session->output;
    for (int index = 0; index < output->format_count; index++)
        wl_resource_post_event(session->resource, SESSION_SHM_FORMAT, output->formats[index]);
    wl_resource_post_event(session->resource, SESSION_BUFFER_SIZE, output->told_width, output->told_height);
    if (output->has_graphics_memory) {
        uint64_t device = 0x1234, modifiers[] = {0, 1};
        struct wl_array told_device = {sizeof device, 0, &device}, told = {sizeof modifiers, 0, modifiers};
        wl_resource_post_event(session->resource, SESSION_DMABUF_DEVICE, &told_device);
        wl_resource_post_event(session->resource, SESSION_DMABUF_FORMAT, WL_SHM_FORMAT_XBGR8888, &told);
    }
    wl_resource_post_event(session->resource, SESSION_DONE);
}

static void stop(struct session *session) {
    session->output = 0;
    wl_list_remove(&session->link);
    wl_list_init(&session->link);
    if (session->frame && session->frame->is_captured && !session->frame->is_over) fail(session->frame, FAILED_STOPPED);
    wl_resource_post_event(session->resource, SESSION_STOPPED);
}

static void create_session(struct wl_client *client, struct wl_resource *manager, uint32_t number,
                           struct wl_resource *source, uint32_t options) {
    if (options & ~(uint32_t)OPTION_PAINT_CURSORS)
        return wl_resource_post_error(manager, MANAGER_INVALID_OPTION, "no such option");
    struct session *session = calloc(1, sizeof *session);
    wl_list_init(&session->link);
    session->has_pointer = options & OPTION_PAINT_CURSORS;
    session->output = wl_resource_get_user_data(source);
    session->resource = wl_resource_create(client, &session_interface, 1, number);
    wl_resource_set_implementation(session->resource, &session_requests, session, session_destroyed);
    if (!session->output) return wl_resource_post_event(session->resource, SESSION_STOPPED);
    wl_list_insert(&session->output->sessions, &session->link);
    session->output->session_count++;
    send_constraints(session);
}

static void create_pointer_cursor_session(struct wl_client *client, struct wl_resource *manager, uint32_t number,
                                          struct wl_resource *source, struct wl_resource *pointer) {
    (void)client, (void)number, (void)source, (void)pointer;
    wl_resource_post_error(manager, WL_DISPLAY_ERROR_IMPLEMENTATION, "there are none");
}

static const struct capture_manager_requests capture_manager_requests = {
    create_session, create_pointer_cursor_session, destroy};

// MARK: Sources

static const struct destroy_requests source_requests = {destroy};
static struct wl_list sources;

static void source_destroyed(struct wl_resource *resource) { wl_list_remove(wl_resource_get_link(resource)); }

static void create_source(
    struct wl_client *client, struct wl_resource *manager, uint32_t number, struct wl_resource *output) {
    (void)manager;
    struct wl_resource *source = wl_resource_create(client, &source_interface, 1, number);
    wl_resource_set_implementation(source, &source_requests, wl_resource_get_user_data(output), source_destroyed);
    wl_list_insert(&sources, wl_resource_get_link(source));
}

static const struct source_manager_requests source_manager_requests = {create_source, destroy};

static void bind_source_manager(struct wl_client *client, void *data, uint32_t version, uint32_t number) {
    struct wl_resource *manager = wl_resource_create(client, &source_manager_interface, version, number);
    wl_resource_set_implementation(manager, &source_manager_requests, data, 0);
}

static void bind_capture_manager(struct wl_client *client, void *data, uint32_t version, uint32_t number) {
    struct wl_resource *manager = wl_resource_create(client, &capture_manager_interface, version, number);
    wl_resource_set_implementation(manager, &capture_manager_requests, data, 0);
}

void offer_capture(void) {
    wl_list_init(&sources);
    wl_global_create(display, &source_manager_interface, 1, 0, bind_source_manager);
    wl_global_create(display, &capture_manager_interface, 1, 0, bind_capture_manager);
}

// MARK: What happens to outputs

void go_on(struct output *output) {
    struct session *session, *next;
    wl_list_for_each_safe(session, next, &output->sessions, link) try_capture(session);
}

void note_damage(struct output *output, struct rect rect, bool is_pointer) {
    struct session *session;
    wl_list_for_each(session, &output->sessions, link) {
        if (!is_pointer || session->has_pointer) add_rect(&session->damage, rect);
    }
}

void send_constraints_to_all(struct output *output) {
    struct session *session;
    wl_list_for_each(session, &output->sessions, link) send_constraints(session);
}

void stop_sessions(struct output *output) {
    struct session *session, *next;
    wl_list_for_each_safe(session, next, &output->sessions, link) stop(session);
}

void forget_output(struct output *output) {
    stop_sessions(output);
    struct wl_resource *source;
    wl_resource_for_each(source, &sources) {
        if (wl_resource_get_user_data(source) == output) wl_resource_set_user_data(source, 0);
    }
}
