package stats
import ("testing";"time";"fmt")
func TestZZMin(t *testing.T) {
	run := func(name string, n int, f func()) {
		best := time.Hour
		for range n { s := time.Now(); f(); best = min(best, time.Since(s)) }
		fmt.Println(name, best)
	}
	a, b, b10, c, d := binarySuite(200, 5), binarySuite(10000, 5), binarySuite(10000, 10), gradedSuite(200, 5), gradedSuite(1000, 5)
	run("suite 200x5", 3000, func() { Compare(a).SuiteTest() })
	run("suite 10000x5", 150, func() { Compare(b).SuiteTest() })
	run("suite 10000x10", 80, func() { Compare(b10).SuiteTest() })
	run("graded 200x5", 20, func() { Compare(c).SuiteTest() })
	run("graded 1000x5", 8, func() { Compare(d).SuiteTest() })
	run("flip 200x5", 3000, func() { Compare(a).PopulationTest() })
	run("flip 10000x5", 150, func() { Compare(b).PopulationTest() })
	run("flip graded 1000x5", 10, func() { Compare(d).PopulationTest() })
	run("compare 10000x5", 100, func() { Compare(b) })
	run("compare 200", 1000, func() { Compare(a) })
}
