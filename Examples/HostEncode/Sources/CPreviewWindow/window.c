#include "CPreviewWindow.h"

#include <stdlib.h>
#include <string.h>
#include <xcb/xcb.h>

struct preview_window {
    xcb_connection_t *connection;
    xcb_window_t window;
    xcb_gcontext_t context;
    xcb_atom_t delete_window;
    uint8_t depth;
    int width, height;
    uint8_t *pixels;
};

static xcb_atom_t atom(xcb_connection_t *connection, const char *name) {
    xcb_intern_atom_cookie_t cookie = xcb_intern_atom(connection, 0, (uint16_t)strlen(name), name);
    xcb_intern_atom_reply_t *reply = xcb_intern_atom_reply(connection, cookie, NULL);
    xcb_atom_t atom = reply ? reply->atom : XCB_ATOM_NONE;
    free(reply);
    return atom;
}

// Whether the display stores a pixel of its root window as the bytes blue, green, red and one that is unused.
static bool takes_bgrx(const xcb_setup_t *setup, const xcb_screen_t *screen) {
    if (setup->image_byte_order != XCB_IMAGE_ORDER_LSB_FIRST) return false;
    bool has_format = false;
    for (xcb_format_iterator_t i = xcb_setup_pixmap_formats_iterator(setup); i.rem; xcb_format_next(&i)) {
        if (i.data->depth == screen->root_depth && i.data->bits_per_pixel == 32) has_format = true;
    }
    for (xcb_depth_iterator_t d = xcb_screen_allowed_depths_iterator(screen); d.rem; xcb_depth_next(&d)) {
        for (xcb_visualtype_iterator_t v = xcb_depth_visuals_iterator(d.data); v.rem; xcb_visualtype_next(&v)) {
            if (v.data->visual_id == screen->root_visual) return has_format && v.data->red_mask == 0xff0000;
        }
    }
    return false;
}

preview_window *preview_window_open(const char *title, int width, int height) {
    int number = 0;
    xcb_connection_t *connection = xcb_connect(NULL, &number);
    if (xcb_connection_has_error(connection)) {
        xcb_disconnect(connection);
        return NULL;
    }
    const xcb_setup_t *setup = xcb_get_setup(connection);
    xcb_screen_iterator_t screens = xcb_setup_roots_iterator(setup);
    while (number-- > 0 && screens.rem > 1) xcb_screen_next(&screens);
    preview_window *window = calloc(1, sizeof *window);
    uint8_t *pixels = malloc((size_t)width * (size_t)height * 4);
    if (!window || !pixels || !screens.data || !takes_bgrx(setup, screens.data)) {
        free(window);
        free(pixels);
        xcb_disconnect(connection);
        return NULL;
    }
    *window = (preview_window){
        .connection = connection, .window = xcb_generate_id(connection), .context = xcb_generate_id(connection),
        .delete_window = atom(connection, "WM_DELETE_WINDOW"), .depth = screens.data->root_depth,
        .width = width, .height = height, .pixels = pixels,
    };
    uint32_t values[] = {screens.data->black_pixel, XCB_EVENT_MASK_STRUCTURE_NOTIFY};
    xcb_create_window(
        connection, window->depth, window->window, screens.data->root, 0, 0, (uint16_t)width, (uint16_t)height, 0,
        XCB_WINDOW_CLASS_INPUT_OUTPUT, screens.data->root_visual, XCB_CW_BACK_PIXEL | XCB_CW_EVENT_MASK, values);
    xcb_create_gc(connection, window->context, window->window, 0, NULL);
    xcb_change_property(
        connection, XCB_PROP_MODE_REPLACE, window->window, XCB_ATOM_WM_NAME, XCB_ATOM_STRING, 8,
        (uint32_t)strlen(title), title);
    // With this, the window manager asks before it closes the connection.
    xcb_change_property(
        connection, XCB_PROP_MODE_REPLACE, window->window, atom(connection, "WM_PROTOCOLS"), XCB_ATOM_ATOM, 32, 1,
        &window->delete_window);
    xcb_map_window(connection, window->window);
    xcb_flush(connection);
    return window;
}

static bool is_open(preview_window *window) {
    bool open = true;
    xcb_generic_event_t *event;
    while ((event = xcb_poll_for_event(window->connection))) {
        uint8_t type = event->response_type & 0x7f;
        if (type == XCB_DESTROY_NOTIFY) open = false;
        if (type == XCB_CLIENT_MESSAGE &&
            ((xcb_client_message_event_t *)event)->data.data32[0] == window->delete_window) open = false;
        free(event);
    }
    return open && !xcb_connection_has_error(window->connection);
}

static uint8_t clamped(int value) { return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value; }

// ITU-R BT.709, limited range, with factors of 1/256.
static void convert(
    uint8_t *to, const uint8_t *y, const uint8_t *u, const uint8_t *v, int luma_stride, int chroma_stride, int width,
    int height) {
    for (int row = 0; row < height; row++) {
        const uint8_t *luma = y + (long)row * luma_stride;
        const uint8_t *blue = u + (long)(row / 2) * chroma_stride, *red = v + (long)(row / 2) * chroma_stride;
        for (int column = 0; column < width; column++, to += 4) {
            int grey = 298 * (luma[column] - 16) + 128, b = blue[column / 2] - 128, r = red[column / 2] - 128;
            to[0] = clamped((grey + 541 * b) >> 8);
            to[1] = clamped((grey - 55 * b - 136 * r) >> 8);
            to[2] = clamped((grey + 459 * r) >> 8);
            to[3] = 0;
        }
    }
}

bool preview_window_show(
    preview_window *window, const uint8_t *y, const uint8_t *u, const uint8_t *v, int luma_stride, int chroma_stride) {
    if (!is_open(window)) return false;
    convert(window->pixels, y, u, v, luma_stride, chroma_stride, window->width, window->height);
    // A request holds 256 KiB at most, unless the server has an extension for larger ones.
    int strip = 250000 / (window->width * 4);
    for (int top = 0; top < window->height; top += strip) {
        int rows = window->height - top < strip ? window->height - top : strip;
        xcb_put_image(
            window->connection, XCB_IMAGE_FORMAT_Z_PIXMAP, window->window, window->context, (uint16_t)window->width,
            (uint16_t)rows, 0, (int16_t)top, 0, window->depth, (uint32_t)(window->width * 4 * rows),
            window->pixels + (long)top * window->width * 4);
    }
    xcb_flush(window->connection);
    return is_open(window);
}

void preview_window_close(preview_window *window) {
    if (!window) return;
    xcb_disconnect(window->connection);
    free(window->pixels);
    free(window);
}
