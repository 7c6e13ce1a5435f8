// XCB and the extensions that screen capture needs. Only XCB itself is linked: a target that uses an extension links its library.
#pragma once
#include <stdbool.h>
#include <stdlib.h>
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

// MIT-SCREEN-SAVER 1.1 (X.Org's document of that name), written by hand: two requests are no reason to link a library.
static inline xcb_extension_t *kine_screen_saver(void) {
    static xcb_extension_t extension = { "MIT-SCREEN-SAVER", 0 };
    return &extension;
}

static inline const xcb_query_extension_reply_t *kine_screen_saver_extension(xcb_connection_t *c) { return xcb_get_extension_data(c, kine_screen_saver()); }

// libxcb fills in the opcode, which is the second byte of the head, and the length; it uses two places before the parts.
static inline unsigned int kine_send_screen_saver_request(xcb_connection_t *c, uint8_t opcode, uint32_t argument, int has_reply) {
    uint32_t body[2] = { 0, argument };
    struct iovec parts[3] = { [2] = { body, sizeof body } };
    xcb_protocol_request_t request = { 1, kine_screen_saver(), opcode, !has_reply };
    return xcb_send_request(c, has_reply ? XCB_REQUEST_CHECKED : 0, parts + 2, &request);
}

// Suspends the server's screen saver for this client's life.
static inline void kine_suspend_screen_saver(xcb_connection_t *c) { kine_send_screen_saver_request(c, 5, 1, 0); }

// Whether the server's screen saver is on (QueryInfo).
static inline bool kine_screen_saver_is_on(xcb_connection_t *c) {
    unsigned int sequence = kine_send_screen_saver_request(c, 1, xcb_setup_roots_iterator(xcb_get_setup(c)).data->root, 1);
    struct { uint8_t response_type, state; } *reply = xcb_wait_for_reply(c, sequence, NULL);
    bool is_on = reply && reply->state == 1;
    free(reply);
    return is_on;
}
