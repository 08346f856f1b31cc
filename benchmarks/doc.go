// Package benchmarks measures what capeval costs, as ratios against a named peer
// in the same run. One command prints all of them:
//
//	go test ./benchmarks -run TestReport -v -args -bench
//
// The figures of a machine that others use at the same time say little; the
// ratios say more, because both sides of one are measured in turns.
package benchmarks
