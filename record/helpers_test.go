package record_test

import "github.com/capeval/capeval/stats"

func reward(v float64) stats.Estimate { return stats.Defined(v) }
