// See CastBytes.h. Each metadata has memory of its own, of just its size, so that the address sanitizer sees a look beyond it.
#include "CastBytes.h"
#include <spa/buffer/buffer.h>
#include <spa/buffer/meta.h>
#include <stdlib.h>
#include <string.h>

#define MOST_METAS 8

size_t cast_bytes_describe(
    const uint8_t *bytes, size_t count, kine_cast_buffer *description,
    void (*look)(const kine_cast_buffer *, void *), void *context) {
    struct spa_meta metas[MOST_METAS];
    struct spa_chunk chunk = {0};
    struct spa_data data = {.type = SPA_DATA_MemFd, .chunk = &chunk};
    struct spa_buffer buffer = {.n_datas = 1, .metas = metas, .datas = &data};
    size_t used = count < sizeof chunk ? count : sizeof chunk;
    memcpy(&chunk, bytes, used);
    uint32_t wanted = used < count ? bytes[used++] % (MOST_METAS + 1) : 0;
    for (; buffer.n_metas < wanted && used + 2 <= count; buffer.n_metas++) {
        struct spa_meta *meta = &metas[buffer.n_metas];
        meta->type = bytes[used] % 10;
        // Sizes that are no multiples of anything come too.
        size_t size = bytes[used + 1] * 4 + (bytes[used] >> 6), there;
        used += 2;
        there = count - used < size ? count - used : size;
        meta->size = size;
        meta->data = calloc(1, size ? size : 1);
        if (!meta->data) abort();
        memcpy(meta->data, bytes + used, there);
        used += there;
    }
    kine_describe_buffer(&buffer, description);
    look(description, context);
    for (uint32_t index = 0; index < buffer.n_metas; index++) free(metas[index].data);
    return used;
}
