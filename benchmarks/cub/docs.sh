#!/usr/bin/env bash
# Writes the table of docs/gpu-measured.md from results.txt.
set -euo pipefail
cd "$(dirname "$0")"
page=../../docs/gpu-measured.md
awk '
NR == FNR && /^image / { image = substr($2, 1, 7) }
NR == FNR && /^NVIDIA / { device = $0 }
NR == FNR && /^20[0-9][0-9]-/ { date = $1 }
NR == FNR {
	job = substr($0, 1, 48); sub(/ +$/, "", job)
	split(substr($0, 49), f, " ")
	if (f[3] != "x" || (f[1] != "2^28" && f[1] != "2^24")) next
	if (!(job in seen)) order[++jobs] = job
	seen[job]
	note = f[6] == "missed" ? 7 : 6
	ours[job, f[1]] = f[note]; times[job, f[1]] = f[4]
	next
}
/^<!-- end -->/ { skip = 0 }
!skip { print }
/^<!-- written by benchmarks\/cub\/docs.sh -->/ {
	skip = 1
	print "Measured on " date ", " device ", image " image ".\n"
	print "| keys | 2^28 rows, ms | x CUB | 2^24 rows, ms | x CUB |\n|---|---|---|---|---|"
	for (i = 1; i <= jobs; i++) {
		j = order[i]
		large = ours[j, "2^28"] " | " times[j, "2^28"]
		small = ours[j, "2^24"] " | " times[j, "2^24"]
		print "| " j " | " large " | " small " |"
	}
}' results.txt $page >page.tmp
mv page.tmp $page
