/* Predicts with the newest model in flash and takes better ones over a serial line: docs/updates.md in C.

   An array takes the place of the flash of a board. The serial line is the first one of the MPS2 boards. */
#include "semihosting.h"
#include "srfm.h"

enum { PAGE = 1024, PAGES = 8, WORD = 4 };

static uint32_t memory[PAGES * PAGE / 4];

static int read_flash(void *context, uint32_t offset, uint8_t *bytes, size_t len) {
    const uint8_t *from = (const uint8_t *)context + offset;
    for (size_t i = 0; i < len; i++) {
        bytes[i] = from[i];
    }
    return 0;
}

static int write_flash(void *context, uint32_t offset, const uint8_t *bytes, size_t len) {
    uint8_t *to = (uint8_t *)context + offset;
    for (size_t i = 0; i < len; i++) {
        to[i] &= bytes[i];
    }
    return 0;
}

static int erase_flash(void *context, uint32_t offset) {
    uint8_t *to = (uint8_t *)context + offset;
    for (size_t i = 0; i < PAGE; i++) {
        to[i] = 0xff;
    }
    return 0;
}

static const srfm_flash flash = {
    read_flash, write_flash, erase_flash, memory, sizeof memory, WORD, PAGE,
};

/* Pressure sensors, by a number of our choice: their models take two readings and give one value. */
static const srfm_policy policy = { .application = 0x50524553, .inputs = 2, .outputs = 1 };

static srfm_store store;
static srfm_receiver receiver;
static srfm_model model;

/* Registers of the serial line: data, state, control, divider of 25 MHz. */
static volatile uint32_t *const uart = (volatile uint32_t *)0x40004000;

static uint8_t receive(void) {
    while ((uart[1] & 2u) == 0) {
    }
    return (uint8_t)uart[0];
}

static void send(const srfm_answer *answer) {
    for (size_t i = 0; i < answer->len; i++) {
        while ((uart[1] & 1u) != 0) {
        }
        uart[0] = answer->bytes[i];
    }
}

/* Predicts with the stored model, which is parsed where it lies. Where that fails, the program goes on: a better model
   may arrive. A product predicts with a model of its own then. */
static void predict(void) {
    static const float readings[] = { 3116.0f, 2248.0f };
    union { float value; uint32_t bits; } pressure = { 0 };
    srfm_stored stored = { 0 };
    srfm_status status = srfm_store_stored(&store, &stored);
    if (status == SRFM_OK) {
        status = srfm_store_view(&store, memory, &model);
    }
    if (status == SRFM_OK) {
        status = srfm_predict(&model, readings, 2, &pressure.value, 1);
    }
    if (status != SRFM_OK && status != SRFM_EMPTY) {
        print("no prediction, status ");
        print_number((uint32_t)status);
        print("\n");
        return;
    }
    print("model ");
    print_number(stored.sequence);
    print(": bits ");
    print_hex(pressure.bits);
    print("\n");
}

int main(void) {
    for (uint32_t offset = 0; offset < sizeof memory; offset += PAGE) {
        erase_flash(memory, offset);
    }
    uart[4] = 217;
    uart[2] = 3;
    /* The flash of a board may not be ready: a product goes on without the store and opens it again later. */
    if (srfm_store_open(&store, &flash, 0, sizeof memory, &policy) != SRFM_OK) {
        return 1;
    }
    predict();
    for (;;) {
        srfm_answer answer;
        if (srfm_receiver_feed(&receiver, &store, receive(), &answer) == SRFM_RECEIVED) {
            /* A model that is refused leaves the old one in use. */
            srfm_store_commit(&store, memory, &answer);
            send(&answer);
            predict();
        } else {
            send(&answer);
        }
    }
}
