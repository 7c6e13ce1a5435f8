// XCB and the extensions that screen capture needs. Only XCB itself is linked: a target that uses an extension links its library.
#pragma once
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <xcb/composite.h>
#include <xcb/damage.h>
#include <xcb/randr.h>
#include <xcb/render.h>
#include <xcb/shape.h>
#include <xcb/shm.h>
#include <xcb/xcb.h>
#include <xcb/xcbext.h>
#include <xcb/xfixes.h>
#include <xcb/xinput.h>
#include <xcb/xtest.h>

// The extensions' descriptors are mutable globals, which Swift's concurrency checking rightly refuses.
static inline const xcb_query_extension_reply_t *kine_damage_extension(xcb_connection_t *c) { return xcb_get_extension_data(c, &xcb_damage_id); }
static inline const xcb_query_extension_reply_t *kine_xfixes_extension(xcb_connection_t *c) { return xcb_get_extension_data(c, &xcb_xfixes_id); }
static inline const xcb_query_extension_reply_t *kine_randr_extension(xcb_connection_t *c) { return xcb_get_extension_data(c, &xcb_randr_id); }
static inline const xcb_query_extension_reply_t *kine_shm_extension(xcb_connection_t *c) { return xcb_get_extension_data(c, &xcb_shm_id); }
static inline const xcb_query_extension_reply_t *kine_composite_extension(xcb_connection_t *c) { return xcb_get_extension_data(c, &xcb_composite_id); }
static inline const xcb_query_extension_reply_t *kine_render_extension(xcb_connection_t *c) { return xcb_get_extension_data(c, &xcb_render_id); }
static inline const xcb_query_extension_reply_t *kine_shape_extension(xcb_connection_t *c) { return xcb_get_extension_data(c, &xcb_shape_id); }
static inline const xcb_query_extension_reply_t *kine_input_extension(xcb_connection_t *c) { return xcb_get_extension_data(c, &xcb_input_id); }

// Asks for these events of all pointers and keyboards, and for no others from now on (XISelectEvents).
static inline xcb_void_cookie_t kine_select_raw_events(xcb_connection_t *c, xcb_window_t window, uint32_t events) {
    // The request wants a header and its mask words one behind the other.
    struct { xcb_input_event_mask_t head; uint32_t mask; } selection = {
        { XCB_INPUT_DEVICE_ALL_MASTER, 1 }, events };
    return xcb_input_xi_select_events(c, window, 1, &selection.head);
}

// Extensions of which a few requests are needed are written by hand, which is no reason to link a library. libxcb fills in the opcode,
// which is the second byte of the head, `body[0]`, and the length; it uses two places before the parts.
static inline unsigned int kine_send_request(xcb_connection_t *c, xcb_extension_t *extension, uint8_t opcode, uint32_t *body, size_t words, bool has_reply) {
    struct iovec parts[3] = { [2] = { body, words * sizeof *body } };
    xcb_protocol_request_t request = { 1, extension, opcode, !has_reply };
    return xcb_send_request(c, has_reply ? XCB_REQUEST_CHECKED : 0, parts + 2, &request);
}

// MIT-SCREEN-SAVER 1.1 (X.Org's document of that name).
static inline xcb_extension_t *kine_screen_saver(void) {
    static xcb_extension_t extension = { "MIT-SCREEN-SAVER", 0 };
    return &extension;
}

static inline const xcb_query_extension_reply_t *kine_screen_saver_extension(xcb_connection_t *c) { return xcb_get_extension_data(c, kine_screen_saver()); }

// Suspends the server's screen saver for this client's life.
static inline void kine_suspend_screen_saver(xcb_connection_t *c) { kine_send_request(c, kine_screen_saver(), 5, (uint32_t[]){ 0, 1 }, 2, false); }

// SYNC 3.1 (X.Org's "X Synchronization Extension Protocol").
static inline xcb_extension_t *kine_sync(void) {
    static xcb_extension_t extension = { "SYNC", 0 };
    return &extension;
}

static inline const xcb_query_extension_reply_t *kine_sync_extension(xcb_connection_t *c) { return xcb_get_extension_data(c, kine_sync()); }

// The counter IDLETIME, of the milliseconds since a device, or a program in its place, was last used; 0: the server has none.
// Initialize and ListSystemCounters.
static inline uint32_t kine_find_idle_counter(xcb_connection_t *c) {
    uint32_t version[2] = { 0 };
    memcpy(version + 1, (uint8_t[]){ 3, 1 }, 2);
    free(xcb_wait_for_reply(c, kine_send_request(c, kine_sync(), 0, version, 2, true), NULL));
    struct { uint8_t type, pad; uint16_t sequence; uint32_t length, count, rest[5]; } *reply =
        xcb_wait_for_reply(c, kine_send_request(c, kine_sync(), 1, (uint32_t[]){ 0 }, 1, true), NULL);
    uint32_t found = 0;
    if (!reply) return 0;
    const uint8_t *entry = (const uint8_t *)(reply + 1), *end = entry + 4 * (size_t)reply->length;
    for (uint32_t index = 0; index < reply->count && !found; index++) {
        // The counter, its resolution in eight bytes, and its name with its length before it.
        struct { uint32_t counter, resolution[2]; uint16_t length; } head;
        if (end - entry < 14) break;
        memcpy(&head, entry, 14);
        if (end - entry < 14 + head.length) break;
        if (head.length == 8 && !memcmp(entry + 14, "IDLETIME", 8)) found = head.counter;
        entry += (14 + head.length + 3) & ~3;
    }
    free(reply);
    return found;
}

// Asks for an AlarmNotify, the extension's second event, whenever `counter` falls from above `milliseconds` to below (CreateAlarm).
static inline void kine_watch_idle_counter(xcb_connection_t *c, uint32_t counter, uint32_t milliseconds) {
    // The mask names the values: counter, absolute, threshold, NegativeTransition, no step, events.
    uint32_t body[] = { 0, xcb_generate_id(c), 0x3f, counter, 0, 0, milliseconds, 1, 0, 0, 1 };
    kine_send_request(c, kine_sync(), 8, body, sizeof body / sizeof *body, false);
}

// Requests the counter's value; kine_read_idle_counter waits for it and returns it, or -1 (QueryCounter).
static inline unsigned int kine_ask_idle_counter(xcb_connection_t *c, uint32_t counter) {
    return kine_send_request(c, kine_sync(), 5, (uint32_t[]){ 0, counter }, 2, true);
}

static inline int64_t kine_read_idle_counter(xcb_connection_t *c, unsigned int sequence) {
    struct { uint8_t type, pad; uint16_t sequence; uint32_t length; int32_t high; uint32_t low; } *reply = xcb_wait_for_reply(c, sequence, NULL);
    int64_t value = reply ? (int64_t)reply->high << 32 | reply->low : -1;
    free(reply);
    return value;
}

// X-Resource 1.2 (X.Org's "X Resource Extension").
static inline xcb_extension_t *kine_resource(void) {
    static xcb_extension_t extension = { "X-Resource", 0 };
    return &extension;
}

// The process at the other end of the connection that has made a window, as the server knows it; 0: it does not, or lacks the extension.
// QueryClientIds with one specification: the client of that resource, and LocalClientPID.
static inline int32_t kine_client_process(xcb_connection_t *c, uint32_t window) {
    const xcb_query_extension_reply_t *extension = xcb_get_extension_data(c, kine_resource());
    if (!extension || !extension->present) return 0;
    uint32_t body[] = { 0, 1, window, 2 };
    struct { uint8_t type, pad; uint16_t sequence; uint32_t length, count, rest[5], client, mask, bytes, process; } *reply =
        xcb_wait_for_reply(c, kine_send_request(c, kine_resource(), 4, body, sizeof body / sizeof *body, true), NULL);
    bool is_known = reply && reply->count == 1 && reply->length >= 4 && reply->mask == 2 && reply->bytes == 4;
    int32_t process = is_known ? (int32_t)reply->process : 0;
    free(reply);
    return process;
}
