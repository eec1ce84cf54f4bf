# Prints a row of a Markdown table: how many times as fast as the fastest of its
# rivals a benchmark is. The ratio is the median of those of the single rounds, so
# that a slow minute of the machine counts for both sides.
#
#	awk -v what=TEXT -v ours=NAME -v rivals='NAME NAME' -v want=2.0 -f ratio.awk OUTPUT-OF-GO-TEST

/^Benchmark/ {
	name = $1
	sub(/-[0-9]+$/, "", name)
	for (i = 3; i < NF; i++)
		if ($(i + 1) == "ns/op")
			time[name, ++runs[name]] = $i
}

# median sorts value[1..n].
function median(value, n,    i, j, x) {
	for (i = 2; i <= n; i++) {
		x = value[i]
		for (j = i - 1; j >= 1 && value[j] > x; j--)
			value[j + 1] = value[j]
		value[j + 1] = x
	}
	return (value[int((n + 1) / 2)] + value[int(n / 2) + 1]) / 2
}

function typical(name,    i, copy) {
	if (!runs[name]) {
		print "ratio: no results of " name >"/dev/stderr"
		failed = 1
		exit 1
	}
	for (i = 1; i <= runs[name]; i++)
		copy[i] = time[name, i] + 0
	return median(copy, runs[name])
}

function short(name) {
	sub(/.*impl=/, "", name)
	sub(/\/.*/, "", name)
	return name
}

END {
	if (failed)
		exit 1
	mine = typical(ours)
	n = split(rivals, rival, " ")
	for (i = 1; i <= n; i++) {
		t = typical(rival[i])
		if (i == 1 || t < least) {
			least = t
			best = rival[i]
		}
	}
	rounds = runs[ours] < runs[best] ? runs[ours] : runs[best]
	for (i = 1; i <= rounds; i++)
		ratio[i] = time[best, i] / time[ours, i]
	printf "| %s | %.4g | %.4g (%s) | **%.2fx** | %sx |\n", what, mine, least, short(best), median(ratio, rounds), want
}
