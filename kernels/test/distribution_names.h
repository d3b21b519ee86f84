// The distributions of distributions.h, for C as well.
#pragma once

// Calls each(constant, name) for every distribution.
#define DISTRIBUTIONS(each) \
	each(UNIFORM, "uniform") each(AND2, "and of 2") each(AND3, "and of 3") each(AND4, "and of 4") \
	each(AND8, "and of 8") each(AND16, "and of 16") each(CONSTANT, "constant") each(TWO_VALUES, "two values") \
	each(FIVE_VALUES, "five values") each(SORTED, "sorted") each(REVERSED, "reversed") each(SAWTOOTH, "sawtooth") \
	each(RUNS, "runs of 8192") each(HALF_ONES, "half all ones") each(LOW_BITS, "low bits") \
	each(HIGH_BITS, "high bits") each(ODD_VALUE, "one odd value") each(HOT_VALUE, "1 % hot") each(ZEROS, "25 % zero") \
	each(SHARED40, "shared 40 bits") each(OUTLIERS, "two outliers") each(PREFIXES, "2^16 prefixes") \
	each(TIES, "ties in pairs") each(RANGE16, "16-bit range") each(RANGE24, "24-bit range") \
	each(HOT_BUCKET, "10 % in one bucket") each(VALUES17, "2^17 values") each(VALUES22, "2^22 values") \
	each(ZIPF, "like Zipf") each(LIVE20, "20 live bits") each(LIVE32, "32 live bits") each(LIVE40, "40 live bits") \
	each(HOUR, "microseconds of an hour") each(JITTER, "ticks with jitter") \
	each(CLOSE_JITTER, "ticks with little jitter") each(VALUES20, "2^20 values") each(VALUES24, "2^24 values") \
	each(ZIPF_IDS, "Zipf over 2^20, scrambled") each(ZIPF_RANKS, "Zipf over 2^20") \
	each(CLUSTERS10, "10 normal clusters") each(CLUSTERS10000, "10,000 normal clusters") \
	each(MAGNITUDES, "log-uniform") each(MAGNITUDES32, "log-uniform, 32 bits") each(POWERS, "powers of two") \
	each(FEW_OUTLIERS, "30 bits, 0.1 % outliers") each(SWAPPED, "sorted, 1 % swapped") each(BELOW1000, "0 to 999") \
	each(CATEGORIES, "50 categories") each(DATES, "dates of 25 years") each(NORMAL, "normal") \
	each(LOGNORMAL, "lognormal") each(PRICES, "prices") \
	each(READINGS, "readings of tenths")

#define CONSTANT_OF(constant, name) constant,
enum Distribution { DISTRIBUTIONS(CONSTANT_OF) };
