#include "protocol.h"

static const struct wl_interface *none[8];

static const struct wl_message xdg_output_requests[] = {{"destroy", "", none}};
static const struct wl_message xdg_output_events[] = {
    {"logical_position", "ii", none}, {"logical_size", "ii", none}, {"done", "", none},
    {"name", "2s", none},             {"description", "2s", none},
};
const struct wl_interface xdg_output_interface = {"zxdg_output_v1", 3, 1, xdg_output_requests, 5, xdg_output_events};
static const struct wl_interface *get_xdg_output[] = {&xdg_output_interface, &wl_output_interface};
static const struct wl_message xdg_output_manager_messages[] = {
    {"destroy", "", none}, {"get_xdg_output", "no", get_xdg_output}};
const struct wl_interface xdg_output_manager_interface = {
    "zxdg_output_manager_v1", 3, 2, xdg_output_manager_messages, 0, 0};

static const struct wl_message source_messages[] = {{"destroy", "", none}};
const struct wl_interface source_interface = {"ext_image_capture_source_v1", 1, 1, source_messages, 0, 0};
static const struct wl_interface *create_source[] = {&source_interface, &wl_output_interface};
static const struct wl_message source_manager_messages[] = {
    {"create_source", "no", create_source}, {"destroy", "", none}};
const struct wl_interface source_manager_interface = {
    "ext_output_image_capture_source_manager_v1", 1, 2, source_manager_messages, 0, 0};

static const struct wl_interface *attach_buffer[] = {&wl_buffer_interface};
static const struct wl_message frame_messages[] = {
    {"destroy", "", none}, {"attach_buffer", "o", attach_buffer}, {"damage_buffer", "iiii", none}, {"capture", "", none}};
static const struct wl_message frame_events[] = {
    {"transform", "u", none}, {"damage", "iiii", none}, {"presentation_time", "uuu", none},
    {"ready", "", none},      {"failed", "u", none},
};
const struct wl_interface frame_interface = {
    "ext_image_copy_capture_frame_v1", 1, 4, frame_messages, 5, frame_events};

static const struct wl_interface *create_frame[] = {&frame_interface};
static const struct wl_message session_messages[] = {{"create_frame", "n", create_frame}, {"destroy", "", none}};
static const struct wl_message session_events[] = {
    {"buffer_size", "uu", none},    {"shm_format", "u", none}, {"dmabuf_device", "a", none},
    {"dmabuf_format", "ua", none},  {"done", "", none},        {"stopped", "", none},
};
const struct wl_interface session_interface = {
    "ext_image_copy_capture_session_v1", 1, 2, session_messages, 6, session_events};

static const struct wl_interface *create_session[] = {&session_interface, &source_interface, 0};
static const struct wl_interface *create_cursor_session[] = {0, &source_interface, &wl_pointer_interface};
static const struct wl_message capture_manager_messages[] = {
    {"create_session", "nou", create_session},
    {"create_pointer_cursor_session", "noo", create_cursor_session},
    {"destroy", "", none},
};
const struct wl_interface capture_manager_interface = {
    "ext_image_copy_capture_manager_v1", 1, 3, capture_manager_messages, 0, 0};
