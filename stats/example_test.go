package stats_test

import (
	"fmt"

	"github.com/capeval/capeval/stats"
)

// Two tasks were scored, a third was declared and lost all its trials.
func Example() {
	s := stats.Summarize([][]float64{{1, 1, 0}, {0, 0, 1}, {}})
	fmt.Println("reward  ", s.Reward)
	fmt.Println("between ", s.Between.Format(3))
	fmt.Println("coverage", s.Coverage.Format(3))
	fmt.Println("lost    ", s.TaskMeans[2])
	// Output:
	// reward   0.5
	// between  0.167
	// coverage 0.667
	// lost     -
}

// In floating point the sum would be 0.6000000000000001.
func ExampleMean() {
	fmt.Println(stats.Mean([]float64{0.1, 0.2, 0.3}))
	fmt.Println(stats.Mean(nil))
	// Output:
	// 0.2
	// -
}

// An agent that passes three times in four is not one to rely on three times.
func ExamplePassHat() {
	trials := []float64{1, 1, 0, 1}
	for k := 1; k <= 5; k++ {
		fmt.Println(k, stats.PassHat(trials, k, 1), stats.PassAt(trials, k, 1))
	}
	// Output:
	// 1 0.75 0.75
	// 2 0.5 1
	// 3 0.25 1
	// 4 0 1
	// 5 - -
}

// Three perfect tasks are no proof of a perfect agent.
func ExampleWilsonT() {
	ci := stats.WilsonT([]float64{1, 1, 1}, 9, 0.95)
	fmt.Println(ci.Low.Format(3), ci.High.Format(3))
	// Output: 0.139 1.000
}

// One of two trials of the first task is missing.
func ExampleMissingBounds() {
	low, high := stats.MissingBounds([][]float64{{1}, {0, 1}}, []int{2, 2})
	fmt.Println(low, high)
	// Output: 0.5 0.75
}

func ExampleCompare() {
	c := stats.Compare([]stats.Pair{
		{Baseline: []float64{0, 0, 0}, Candidate: []float64{1, 1, 0}},
		{Baseline: []float64{1, 0, 0}, Candidate: []float64{1, 1, 1}},
		{Baseline: []float64{1, 1, 1}}, // the candidate's trials are missing
	})
	alpha, err := stats.ParseDecimal("0.05")
	if err != nil {
		panic(err)
	}
	test := c.SuiteTest()
	ci := c.SuiteInterval(0.95)
	fmt.Println("coverage", c.Coverage(), "delta", c.Delta())
	fmt.Println("interval", ci.Low.Format(3), "to", ci.High.Format(3))
	fmt.Println("p", test.Better.Format(3), "reaches alpha:", stats.Reaches(test.Better, alpha))
	// Output:
	// coverage 2/3 delta 2/3
	// interval 0.161 to 1.000
	// p 0.040 reaches alpha: true
}

func ExampleTasksToReach() {
	alpha, err := stats.ParseDecimal("0.05")
	if err != nil {
		panic(err)
	}
	fmt.Println("tasks with one trial:", stats.TasksToReach(1, alpha))
	fmt.Println("trials of one task:", stats.TrialsToReach(1, alpha))
	// Output:
	// tasks with one trial: 5
	// trials of one task: 3
}
