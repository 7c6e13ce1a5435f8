// XCB and the extensions that screen capture needs. Only XCB itself is linked: a target that uses an extension links its library.
#pragma once
#include <stdlib.h>
#include <xcb/composite.h>
#include <xcb/damage.h>
#include <xcb/randr.h>
#include <xcb/render.h>
#include <xcb/shape.h>
#include <xcb/shm.h>
#include <xcb/xcb.h>
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
