// Command agent reads a word problem on stdin and answers with one JSON object
// on stdout: {"answer": 42, "steps": "..."}. It samples with CAPEVAL_SEED and, as
// models do, now and then slips. It exits 1 when it finds no numbers.
package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
)

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(75) // not the agent's fault: try again later
	}
	seed := os.Getenv("CAPEVAL_SEED")
	h := fnv.New64a()
	fmt.Fprintln(h, seed, string(text))
	answer, err := solve(string(text), rand.New(rand.NewPCG(h.Sum64(), 0)))
	if err != nil {
		fmt.Fprintln(os.Stderr, "agent:", err)
		os.Exit(1)
	}
	_ = json.NewEncoder(os.Stdout).Encode(answer)
}

type answer struct {
	Answer int    `json:"answer"`
	Steps  string `json:"steps"`
}

var token = regexp.MustCompile(`\d+|[a-z]+`)

// solve walks through the text: a number is joined to the result so far by the
// operation that the words before or after it stand for.
func solve(text string, rng *rand.Rand) (answer, error) {
	ops := map[string]byte{
		"each": '*', "times": '*', "per": '*',
		"more": '+', "buys": '+', "gets": '+', "finds": '+', "adds": '+', "plus": '+',
		"eats": '-', "gives": '-', "loses": '-', "sells": '-', "minus": '-', "breaks": '-', "spends": '-',
	}
	words := token.FindAllString(strings.ToLower(text), -1)
	var out answer
	op, began := byte('+'), false
	for i, w := range words {
		if o, ok := ops[w]; ok {
			op = o
			continue
		}
		n, err := strconv.Atoi(w)
		if err != nil {
			continue
		}
		if began && i+2 < len(words) && (words[i+1] == "each" || words[i+2] == "each") {
			op = '*'
		}
		if rng.Float64() < 0.06 { // a slip of the pen
			n++
		}
		if began && op == '-' && rng.Float64() < 0.1 { // reads "gives" as "gets"
			op = '+'
		}
		out.Steps += fmt.Sprintf("%c%d ", op, n)
		switch op {
		case '*':
			out.Answer *= n
		case '-':
			out.Answer -= n
		default:
			out.Answer += n
		}
		began = true
	}
	if !began {
		return answer{}, fmt.Errorf("found no numbers in %q", text)
	}
	out.Steps = strings.TrimSpace(out.Steps)
	return out, nil
}
