// The jobs of the table: what is sorted, and how many times CUB's speed is asked for.
#pragma once
#include "columns.h"
#include <string>
#include <vector>

struct Job {
	Recipe key[2];
	int count; // of keys
	double asked[4]; // for 2^28, 2^24, 2^20, 2^16 rows; 0: not in the table
	int mode; // 1: descending, 2: nulls at the start
	const char* name; // null: the distribution's
};

const int jobRows[] = {28, 24, 20, 16};

inline Job job(Type t, int distribution, double large, double small, double smaller, double smallest) {
	return {{{t, distribution, 0, 0, 0}, {}}, 1, {large, small, smaller, smallest}, 0, nullptr};
}

// The same with nulls, in the other order.
inline Job with_nulls(Job j, u32 percent) {
	j.key[0].nullsPercent = percent;
	if (percent) j.mode = 1;
	return j;
}

inline std::vector<Job> table_jobs() {
	std::vector<Job> jobs;
	for (Type t : {U32, I32, F32}) jobs.push_back(job(t, UNIFORM, 2, 2, 2.2, 2.2));
	for (Type t : {I64, U64, F64}) jobs.push_back(job(t, UNIFORM, 4, 4, 4, 3.5));
	for (int distribution : {AND2, AND4, AND8, AND16, CONSTANT, FIVE_VALUES, HALF_ONES, RUNS, RANGE16, RANGE24,
	                         HOT_BUCKET, VALUES17, VALUES22, ZIPF})
		jobs.push_back(job(U32, distribution, 1.25, 1.25, 1, 1));
	for (int distribution : {JITTER, CLOSE_JITTER})
		jobs.push_back(job(U32, distribution, 1.45, 1.3, 1.15, 0)),
		    jobs.push_back(job(I64, distribution, 2.2, 1.8, 1.3, 0));
	for (int distribution : {VALUES20, ZIPF_IDS, MAGNITUDES32})
		jobs.push_back(job(U32, distribution, 1.45, 1.3, 1.15, 0));
	for (int distribution : {NORMAL, LOGNORMAL}) jobs.push_back(job(F32, distribution, 1.5, 1.5, 1.3, 0));
	for (u32 nulls : {0u, 30u}) {
		for (int distribution : {VALUES20, VALUES24, ZIPF_IDS, ZIPF_RANKS, CLUSTERS10, CLUSTERS10000, MAGNITUDES,
		                         POWERS, FEW_OUTLIERS, BELOW1000, SAWTOOTH, HALF_ONES})
			jobs.push_back(with_nulls(job(I64, distribution, 2.2, 1.8, 1.3, 0), nulls));
		for (int distribution : {NORMAL, LOGNORMAL, PRICES})
			jobs.push_back(with_nulls(job(F64, distribution, 2.2, 1.8, 1.3, 0), nulls));
	}
	jobs.push_back(job(I64, SWAPPED, 2.5, 2, 0, 0)), jobs.push_back(job(U32, SWAPPED, 1.45, 1.3, 1.15, 0));
	for (int distribution : {AND2, AND4, AND8, AND16, TIES, CONSTANT, TWO_VALUES, FIVE_VALUES, PREFIXES})
		jobs.push_back(job(I64, distribution, 1.5, 1.5, 0, 0));
	for (int distribution : {LIVE20, LIVE32, HOUR}) jobs.push_back(job(I64, distribution, 4, 4, 0, 0));
	for (int mode = 0; mode < 4; mode++) {
		const char* const names[] = {"5 % null, 1 % NaN, zeros", "the same, descending", "the same, nulls first",
		                             "the same, both"};
		jobs.push_back({{{F64, UNIFORM, 5, 10, 10}, {}}, 1, {3.5, 3.5, 0, 0}, mode, names[mode]});
	}
	jobs.push_back({{{I32, UNIFORM}, {I32, UNIFORM}}, 2, {3.5, 3.5, 0, 0}, 0, "two keys: i32, i32"});
	jobs.push_back({{{I16, UNIFORM}, {I64, LIVE40}}, 2, {3.5, 3.5, 0, 0}, 0, "two keys: i16, 40 bits"});
	for (Type t : {I64, F64}) {
		Job zeros = job(t, UNIFORM, 2, 2, 0, 0), nulls = zeros;
		zeros.key[0].zeroPermille = 4, zeros.name = "0.4 % zeros";
		nulls.key[0].nullsPercent = 25, nulls.name = "25 % nulls";
		if (is_float(t)) jobs.push_back(zeros);
		jobs.push_back(nulls);
		for (int distribution : {HOT_VALUE, SHARED40, OUTLIERS}) jobs.push_back(job(t, distribution, 2, 2, 0, 0));
	}
	for (Type t : {U32, I64})
		for (int distribution : {SORTED, REVERSED}) jobs.push_back(job(t, distribution, 8, 8, 0, 0));
	return jobs;
}

inline std::string job_name(const Job& j) {
	if (j.count > 1) return j.name;
	std::string type = typeNames[j.key[0].type], name = j.name ? j.name : distributionNames[j.key[0].distribution];
	if (!j.name && j.key[0].nullsPercent) name += ", " + std::to_string(j.key[0].nullsPercent) + " % null";
	if (!j.name && j.mode & 1) name += ", desc";
	return type + " " + name;
}
