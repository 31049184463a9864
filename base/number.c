#include "number.h"

#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A number is w * 10^q with an integer w of at most 19 digits. Three ways to the nearest double,
// from fast to slow; each hands over what it cannot decide:
//   1. w and 10^|q| are doubles: one rounding, done by the multiplication (Clinger 1990).
//   2. w times the 128 leading bits of 10^q: right unless the bits that were cut off could matter
//      (after Lemire 2021, but a doubtful case goes to way 3 instead of being proved away).
//   3. the C library.

enum { DIGITS_MAX = 19, POWER_MIN = -48, POWER_MAX = 32, EXACT_POWER_MAX = 22 };

// 10^q = (hi:lo + d) * 2^exponent with 0 <= d < 1, d = 0 for q >= 0; the top bit of hi is set.
static const struct power {
    uint64_t hi, lo;
    int32_t exponent;
} powers[] = {
    {0xbb127c53b17ec159, 0x5560c018580d5d52, -287}, {0xe9d71b689dde71af, 0xaab8f01e6e10b4a6, -284},
    {0x9226712162ab070d, 0xcab3961304ca70e8, -280}, {0xb6b00d69bb55c8d1, 0x3d607b97c5fd0d22, -277},
    {0xe45c10c42a2b3b05, 0x8cb89a7db77c506a, -274}, {0x8eb98a7a9a5b04e3, 0x77f3608e92adb242, -270},
    {0xb267ed1940f1c61c, 0x55f038b237591ed3, -267}, {0xdf01e85f912e37a3, 0x6b6c46dec52f6688, -264},
    {0x8b61313bbabce2c6, 0x2323ac4b3b3da015, -260}, {0xae397d8aa96c1b77, 0xabec975e0a0d081a, -257},
    {0xd9c7dced53c72255, 0x96e7bd358c904a21, -254}, {0x881cea14545c7575, 0x7e50d64177da2e54, -250},
    {0xaa242499697392d2, 0xdde50bd1d5d0b9e9, -247}, {0xd4ad2dbfc3d07787, 0x955e4ec64b44e864, -244},
    {0x84ec3c97da624ab4, 0xbd5af13bef0b113e, -240}, {0xa6274bbdd0fadd61, 0xecb1ad8aeacdd58e, -237},
    {0xcfb11ead453994ba, 0x67de18eda5814af2, -234}, {0x81ceb32c4b43fcf4, 0x80eacf948770ced7, -230},
    {0xa2425ff75e14fc31, 0xa1258379a94d028d, -227}, {0xcad2f7f5359a3b3e, 0x096ee45813a04330, -224},
    {0xfd87b5f28300ca0d, 0x8bca9d6e188853fc, -221}, {0x9e74d1b791e07e48, 0x775ea264cf55347d, -217},
    {0xc612062576589dda, 0x95364afe032a819d, -214}, {0xf79687aed3eec551, 0x3a83ddbd83f52204, -211},
    {0x9abe14cd44753b52, 0xc4926a9672793542, -207}, {0xc16d9a0095928a27, 0x75b7053c0f178293, -204},
    {0xf1c90080baf72cb1, 0x5324c68b12dd6338, -201}, {0x971da05074da7bee, 0xd3f6fc16ebca5e03, -197},
    {0xbce5086492111aea, 0x88f4bb1ca6bcf584, -194}, {0xec1e4a7db69561a5, 0x2b31e9e3d06c32e5, -191},
    {0x9392ee8e921d5d07, 0x3aff322e62439fcf, -187}, {0xb877aa3236a4b449, 0x09befeb9fad487c2, -184},
    {0xe69594bec44de15b, 0x4c2ebe687989a9b3, -181}, {0x901d7cf73ab0acd9, 0x0f9d37014bf60a10, -177},
    {0xb424dc35095cd80f, 0x538484c19ef38c94, -174}, {0xe12e13424bb40e13, 0x2865a5f206b06fb9, -171},
    {0x8cbccc096f5088cb, 0xf93f87b7442e45d3, -167}, {0xafebff0bcb24aafe, 0xf78f69a51539d748, -164},
    {0xdbe6fecebdedd5be, 0xb573440e5a884d1b, -161}, {0x89705f4136b4a597, 0x31680a88f8953030, -157},
    {0xabcc77118461cefc, 0xfdc20d2b36ba7c3d, -154}, {0xd6bf94d5e57a42bc, 0x3d32907604691b4c, -151},
    {0x8637bd05af6c69b5, 0xa63f9a49c2c1b10f, -147}, {0xa7c5ac471b478423, 0x0fcf80dc33721d53, -144},
    {0xd1b71758e219652b, 0xd3c36113404ea4a8, -141}, {0x83126e978d4fdf3b, 0x645a1cac083126e9, -137},
    {0xa3d70a3d70a3d70a, 0x3d70a3d70a3d70a3, -134}, {0xcccccccccccccccc, 0xcccccccccccccccc, -131},
    {0x8000000000000000, 0x0000000000000000, -127}, {0xa000000000000000, 0x0000000000000000, -124},
    {0xc800000000000000, 0x0000000000000000, -121}, {0xfa00000000000000, 0x0000000000000000, -118},
    {0x9c40000000000000, 0x0000000000000000, -114}, {0xc350000000000000, 0x0000000000000000, -111},
    {0xf424000000000000, 0x0000000000000000, -108}, {0x9896800000000000, 0x0000000000000000, -104},
    {0xbebc200000000000, 0x0000000000000000, -101}, {0xee6b280000000000, 0x0000000000000000, -98},
    {0x9502f90000000000, 0x0000000000000000, -94},  {0xba43b74000000000, 0x0000000000000000, -91},
    {0xe8d4a51000000000, 0x0000000000000000, -88},  {0x9184e72a00000000, 0x0000000000000000, -84},
    {0xb5e620f480000000, 0x0000000000000000, -81},  {0xe35fa931a0000000, 0x0000000000000000, -78},
    {0x8e1bc9bf04000000, 0x0000000000000000, -74},  {0xb1a2bc2ec5000000, 0x0000000000000000, -71},
    {0xde0b6b3a76400000, 0x0000000000000000, -68},  {0x8ac7230489e80000, 0x0000000000000000, -64},
    {0xad78ebc5ac620000, 0x0000000000000000, -61},  {0xd8d726b7177a8000, 0x0000000000000000, -58},
    {0x878678326eac9000, 0x0000000000000000, -54},  {0xa968163f0a57b400, 0x0000000000000000, -51},
    {0xd3c21bcecceda100, 0x0000000000000000, -48},  {0x84595161401484a0, 0x0000000000000000, -44},
    {0xa56fa5b99019a5c8, 0x0000000000000000, -41},  {0xcecb8f27f4200f3a, 0x0000000000000000, -38},
    {0x813f3978f8940984, 0x4000000000000000, -34},  {0xa18f07d736b90be5, 0x5000000000000000, -31},
    {0xc9f2c9cd04674ede, 0xa400000000000000, -28},  {0xfc6f7c4045812296, 0x4d00000000000000, -25},
    {0x9dc5ada82b70b59d, 0xf020000000000000, -21},
};

static const double exact_powers[EXACT_POWER_MAX + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static const uint64_t tens[PL_DIGITS_STEP + 1] = {1,      10,      100,      1000,     10000,
                                                  100000, 1000000, 10000000, 100000000};

// Appends the digits at p to *w (modulo 2^64: the caller counts them).
static inline const char *read_digits(const char *p, uint64_t *w)
{
    for (int n = PL_DIGITS_STEP; n == PL_DIGITS_STEP; p += n) {
        uint64_t value;
        n = pl_parse_digits(p, &value);
        *w = *w * tens[n] + value;
    }
    return p;
}

// Way 2. False if it cannot tell.
static bool multiply_power(uint64_t w, int q, double *value)
{
    if (w == 0 || q < POWER_MIN || q > POWER_MAX) return false;
    const struct power *power = &powers[q - POWER_MIN];
    int shift = __builtin_clzll(w);
    w <<= shift;
    // The 192-bit product a:b:c; the true one lies in [a:b:c, a:b:c + 2^64).
    unsigned __int128 high = (unsigned __int128)w * power->hi;
    unsigned __int128 low = (unsigned __int128)w * power->lo;
    high += (uint64_t)(low >> 64);
    uint64_t a = (uint64_t)(high >> 64), b = (uint64_t)high;
    int exponent = power->exponent - shift + 128; // value = a.b * 2^exponent
    int spare = (a >> 63) != 0 ? 10 : 9;          // a holds 54 bits, the last of them half a unit
    uint64_t rest_mask = ((uint64_t)1 << spare) - 1;
    bool rest_zero = (a & rest_mask) == 0 && b == 0;
    bool rest_full = (a & rest_mask) == rest_mask && b == UINT64_MAX;
    if (rest_zero || rest_full) return false;
    uint64_t mantissa = a >> spare;
    mantissa = (mantissa >> 1) + (mantissa & 1); // 2^53 after rounding up is fine as a double
    // With w and q this small the exponent is that of a normal double: put 2^it together by bits.
    uint64_t scale_bits = (uint64_t)(exponent + spare + 1 + DBL_MAX_EXP - 1) << (DBL_MANT_DIG - 1);
    double scale;
    memcpy(&scale, &scale_bits, sizeof scale);
    *value = (double)mantissa * scale;
    return true;
}

static locale_t c_locale;

static void make_c_locale(void)
{
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

// Way 3: `p` is known to begin with a well-formed number.
static double library_double(const char *p)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_c_locale);
    return c_locale != (locale_t)0 ? strtod_l(p, NULL, c_locale) : strtod(p, NULL);
}

static inline bool is_digit(char c)
{
    return (unsigned)(c - '0') < 10u;
}

// The exponent after 'e', clamped far outside the range of doubles. NULL if there are no digits.
static const char *read_exponent(const char *p, int *exponent)
{
    bool negative = *p == '-';
    if (*p == '-' || *p == '+') p++;
    if (!is_digit(*p)) return NULL;
    int e = 0;
    for (; is_digit(*p); p++) e = PL_MIN(e * 10 + (*p - '0'), 100000);
    *exponent = negative ? -e : e;
    return p;
}

const char *pl_parse_double(const char *p, double *value)
{
    const char *start = p;
    bool negative = *p == '-';
    p += negative || *p == '+';
    uint64_t w = 0;
    const char *first = p;
    p = read_digits(p, &w);
    int64_t digits = p - first;
    int64_t q = 0;
    if (*p == '.') {
        const char *fraction = ++p;
        p = read_digits(p, &w);
        q = -(p - fraction);
        digits -= q;
    }
    if (digits == 0) return NULL;
    if (*p == 'e' || *p == 'E') {
        int exponent = 0;
        p = read_exponent(p + 1, &exponent);
        if (p == NULL) return NULL;
        q += exponent;
    }
    if (digits > DIGITS_MAX) { // leading zeros are no digits of w
        const char *s = first;
        for (; *s == '0' || *s == '.'; s++) digits -= *s == '0';
    }
    double v = 0;
    if (digits <= DIGITS_MAX && w <= ((uint64_t)1 << 53) && q >= -EXACT_POWER_MAX &&
        q <= EXACT_POWER_MAX) {
        v = q < 0 ? (double)w / exact_powers[-q] : (double)w * exact_powers[q];
        *value = negative ? -v : v;
        return p;
    }
    bool decided =
        digits <= DIGITS_MAX && q >= INT_MIN && q <= INT_MAX && multiply_power(w, (int)q, &v);
    *value = decided ? (negative ? -v : v) : library_double(start);
    return isfinite(*value) ? p : NULL;
}

const char *pl_parse_long_int64(const char *p, int64_t *value)
{
    bool negative = *p == '-';
    if (*p == '-' || *p == '+') p++;
    const char *first = p;
    uint64_t w = 0;
    p = read_digits(p, &w);
    if (p == first) return NULL;
    while (*first == '0') first++;
    if (p - first > 18) return NULL; // may not fit
    *value = negative ? -(int64_t)w : (int64_t)w;
    return p;
}

size_t pl_double_text(double value, char text[PL_DOUBLE_TEXT])
{
    PL_ASSERT(isfinite(value));
    memset(text, 0, PL_DOUBLE_TEXT); // pl_parse_double looks beyond the end
    size_t length = 0;
    for (int precision = 15; precision <= 17; precision++) {
        char raw[PL_DOUBLE_TEXT + 1];
        snprintf(raw, sizeof raw, "%.*g", precision, value);
        // Whatever stands between the digits is the locale's decimal point, of one byte or more.
        length = 0;
        for (const char *p = raw; *p != '\0'; p++) {
            if (is_digit(*p) || *p == '-' || *p == '+' || *p == 'e') {
                text[length++] = *p;
            } else if (text[length - 1] != '.') {
                text[length++] = '.';
            }
        }
        text[length] = '\0';
        double back = 0;
        if (pl_parse_double(text, &back) != NULL && back == value) break;
    }
    return length;
}
