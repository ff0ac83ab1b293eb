/* Constants stay in flash. AVR needs instructions of its own to read them there. */
#if defined(__AVR__)
#include <avr/pgmspace.h>
#define MODEL_FLASH PROGMEM
#define MODEL_READ_FLOAT(address) pgm_read_float(address)
#define MODEL_READ_WORD(address) ((uint32_t)pgm_read_dword(address))
#define MODEL_READ_LONG(address) ((int32_t)pgm_read_dword(address))
#define MODEL_READ_HALF(address) ((int16_t)pgm_read_word(address))
#define MODEL_READ_SHORT(address) ((uint16_t)pgm_read_word(address))
#define MODEL_READ_BYTE(address) ((uint8_t)pgm_read_byte(address))
#else
#define MODEL_FLASH
#define MODEL_READ_FLOAT(address) (*(address))
#define MODEL_READ_WORD(address) (*(address))
#define MODEL_READ_LONG(address) (*(address))
#define MODEL_READ_HALF(address) (*(address))
#define MODEL_READ_SHORT(address) (*(address))
#define MODEL_READ_BYTE(address) (*(address))
#endif
