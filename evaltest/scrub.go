package evaltest

import "regexp"

var (
	address  = regexp.MustCompile(`0x[0-9a-fA-F]{6,}`)
	duration = regexp.MustCompile(`\b(\d+h)?(\d+m)?\d+\.\d+(s|ms|µs|us|ns)\b`)
)

// scrub takes out of a text what differs between two runs of the same trial:
// addresses, and durations with a fraction, which are measured.
func scrub(s string) string {
	if s == "" {
		return s
	}
	return duration.ReplaceAllString(address.ReplaceAllString(s, "0x…"), "(time)")
}
