/*
 * Updates on a simulated NOR flash whose power fails: after each step of an update the old model or the new one is in
 * use. Arguments: the files of the old model, of the new model, and of the frames of both updates.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "srfm.h"

enum { PAGE = 1024, PAGES = 10, FLASH = PAGES * PAGE, ERASURE_PARTS = 8, WORDS = 2048 };

#define CHECK(truth) ((truth) ? (void)0 : fail(#truth, __LINE__))

static long step_of_failure = -1;

static void fail(const char *text, int line) {
    fprintf(stderr, "line %d, cut after step %ld: %s\n", line, step_of_failure, text);
    exit(1);
}

typedef struct nor {
    uint8_t bytes[FLASH];
    uint8_t erased[FLASH];
    uint32_t word;
    /* Steps until the power fails; negative where it stays. */
    long steps;
} nor;

/* Takes a step. Returns whether there was power for it. */
static int step(nor *flash) {
    if (flash->steps > 0) {
        flash->steps--;
        return 1;
    }
    return flash->steps < 0;
}

static int read_nor(void *context, uint32_t offset, uint8_t *bytes, size_t len) {
    const nor *flash = context;
    CHECK(offset + len <= FLASH && len <= 64);
    memcpy(bytes, flash->bytes + offset, len);
    return flash->steps == 0 ? -1 : 0;
}

/* Each byte is a step. */
static int write_nor(void *context, uint32_t offset, const uint8_t *bytes, size_t len) {
    nor *flash = context;
    CHECK(offset % flash->word == 0 && len % flash->word == 0 && len <= 64 && offset + len <= FLASH);
    for (size_t i = 0; i < len; i++) {
        CHECK(flash->erased[offset + i]);
        if (!step(flash)) {
            /* Some bits of the byte are written. */
            flash->bytes[offset + i] = (uint8_t)(flash->bytes[offset + i] & (bytes[i] | 0x5a));
            return -1;
        }
        flash->bytes[offset + i] &= bytes[i];
        flash->erased[offset + i] = 0;
    }
    return 0;
}

/* Each part of a page is a step. */
static int erase_nor(void *context, uint32_t offset) {
    nor *flash = context;
    CHECK(offset % PAGE == 0 && offset >= PAGE && offset + PAGE <= FLASH - PAGE);
    memset(flash->erased + offset, 0, PAGE);
    for (uint32_t part = 0; part < ERASURE_PARTS; part++) {
        if (!step(flash)) {
            return -1;
        }
        memset(flash->bytes + offset + part * (PAGE / ERASURE_PARTS), 0xff, PAGE / ERASURE_PARTS);
    }
    memset(flash->erased + offset, 1, PAGE);
    return 0;
}

typedef struct file {
    uint8_t *bytes;
    size_t len;
} file;

static file read_file(const char *path) {
    file read = { malloc(1 << 16), 0 };
    FILE *from = fopen(path, "rb");
    CHECK(from != NULL && read.bytes != NULL);
    read.len = fread(read.bytes, 1, 1 << 16, from);
    CHECK(read.len > 0 && read.len < 1 << 16);
    fclose(from);
    return read;
}

static uint32_t buffer[WORDS];

static void open_store(srfm_store *store, nor *flash) {
    srfm_flash functions = { read_nor, write_nor, erase_nor, flash, FLASH, flash->word, PAGE };
    srfm_policy policy = { .application = 0x50524553, .inputs = 2, .outputs = 1 };
    /* The first page and the last one belong to somebody else. */
    CHECK(srfm_store_open(store, &functions, PAGE, FLASH - PAGE, &policy) == SRFM_OK);
}

/* Feeds frames, of which every one is answered. Returns whether the model was taken into use. */
static int send(srfm_store *store, file frames, uint8_t expected_kind) {
    srfm_receiver receiver = { { 0 } };
    srfm_answer answer = { 0, { 0 } };
    int taken = 0;
    for (size_t i = 0; i < frames.len; i++) {
        srfm_status status = srfm_receiver_feed(&receiver, store, frames.bytes[i], &answer);
        if (status == SRFM_RECEIVED) {
            taken = srfm_store_commit_in(store, buffer, WORDS, &answer) == SRFM_OK;
        } else {
            CHECK(status == SRFM_OK);
        }
        if (answer.len > 0 && expected_kind != 0) {
            /* A zero, the byte of stuffing, the kind. */
            CHECK(answer.bytes[0] == 0 && answer.bytes[2] == expected_kind && answer.bytes[answer.len - 1] == 0);
        }
    }
    return taken;
}

static uint32_t predict(const srfm_model *model) {
    const float readings[] = { 0.3f, -0.4f };
    float y;
    uint32_t bits;
    CHECK(srfm_predict(model, readings, 2, &y, 1) == SRFM_OK);
    memcpy(&bits, &y, sizeof bits);
    return bits;
}

static uint32_t bits_of(file model) {
    srfm_model parsed;
    memcpy(buffer, model.bytes, model.len);
    CHECK(srfm_parse(&parsed, buffer, model.len) == SRFM_OK);
    return predict(&parsed);
}

/* Checks that the model in use is this one, copied and in place. */
static void check_in_use(srfm_store *store, const nor *flash, file model, uint32_t bits) {
    static uint32_t mapped[FLASH / 4];
    srfm_stored stored;
    srfm_model parsed;
    CHECK(srfm_store_stored(store, &stored) == SRFM_OK);
    CHECK(stored.len == model.len && memcmp(flash->bytes + stored.offset, model.bytes, model.len) == 0);
    CHECK(srfm_store_load(store, buffer, WORDS, &parsed) == SRFM_OK);
    CHECK(predict(&parsed) == bits);
    memcpy(mapped, flash->bytes, FLASH);
    CHECK(srfm_store_view(store, mapped, &parsed) == SRFM_OK);
    CHECK(predict(&parsed) == bits);
}

/* Cuts the power after each step of the second update. Returns the number of steps. */
static long cut_everywhere(uint32_t word, const file files[4]) {
    static nor before, flash;
    srfm_store store;
    memset(&before, 0, sizeof before);
    memset(before.bytes, 0x33, FLASH);
    before.word = word;
    before.steps = -1;
    open_store(&store, &before);
    CHECK(srfm_store_load(&store, buffer, WORDS, &(srfm_model){ { 0 } }) == SRFM_EMPTY);
    CHECK(send(&store, files[2], 0) == 1);
    const uint32_t old_bits = bits_of(files[0]), new_bits = bits_of(files[1]);
    CHECK(old_bits != new_bits);
    check_in_use(&store, &before, files[0], old_bits);
    for (step_of_failure = 0;; step_of_failure++) {
        flash = before;
        /* A flash without power is not read either: the store is opened before. */
        open_store(&store, &flash);
        flash.steps = step_of_failure;
        const int taken = send(&store, files[3], 0);
        const int was_cut = flash.steps == 0 && !taken;
        flash.steps = -1;
        open_store(&store, &flash);
        srfm_stored stored;
        CHECK(srfm_store_stored(&store, &stored) == SRFM_OK);
        CHECK(taken || was_cut);
        CHECK(stored.sequence == 9 || (stored.sequence == 4 && was_cut));
        const int is_new = stored.sequence == 9;
        check_in_use(&store, &flash, files[is_new], is_new ? new_bits : old_bits);
        if (!is_new) {
            /* The next attempt needs no help. */
            CHECK(send(&store, files[3], 0) == 1);
            check_in_use(&store, &flash, files[1], new_bits);
        }
        for (size_t i = 0; i < PAGE; i++) {
            CHECK(flash.bytes[i] == 0x33 && flash.bytes[FLASH - PAGE + i] == 0x33);
        }
        if (taken) {
            /* The same update again, and the one before it, are refused. */
            CHECK(send(&store, files[2], 0x83) == 0);
            return step_of_failure;
        }
    }
}

int main(int count, char **paths) {
    file files[4];
    CHECK(count == 5);
    for (int i = 0; i < 4; i++) {
        files[i] = read_file(paths[i + 1]);
    }
    for (uint32_t word = 1; word <= 64; word *= 4) {
        long steps = cut_everywhere(word, files);
        CHECK(steps > 300);
        printf("words of %u: %ld steps\n", (unsigned)word, steps);
    }
    for (int i = 0; i < 4; i++) {
        free(files[i].bytes);
    }
    return 0;
}
