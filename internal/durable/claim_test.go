package durable

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestClaimOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	if err := Claim(path, []byte("first")); err != nil {
		t.Fatal(err)
	}
	err := Claim(path, []byte("second"))
	var lost *ClaimedError
	if !errors.Is(err, ErrClaimed) || !errors.As(err, &lost) || string(lost.Content) != "first" {
		t.Fatalf("error %v, want the claim of first", err)
	}
	if want := path + `: already claimed by "first"`; err.Error() != want {
		t.Errorf("message %q, want %q", err, want)
	}
	if got := names(t, filepath.Dir(path)); len(got) != 1 {
		t.Errorf("the folder holds %q, want the claim alone", got)
	}
}

func TestClaimFailsAtEachStep(t *testing.T) {
	// create, write, sync, close, link, sync of the folder
	const steps = 6
	for n := 1; n <= steps; n++ {
		dir := t.TempDir()
		path := filepath.Join(dir, "c")
		d, _ := failing(n)
		if err := d.claim(path, []byte("mine")); !errors.Is(err, errStep) {
			t.Errorf("step %d: error %v, want the disk's", n, err)
		}
		// The next caller wins, unless the link was made: then the claim stands,
		// whole.
		err := Claim(path, []byte("next"))
		if stands := n == steps; stands != errors.Is(err, ErrClaimed) {
			t.Errorf("step %d: next claim: %v", n, err)
		}
		want := map[bool]string{true: "mine", false: "next"}[n == steps]
		if got, _ := os.ReadFile(path); string(got) != want {
			t.Errorf("step %d: content %q, want %q", n, got, want)
		}
		if got := names(t, dir); len(got) != 1 {
			t.Errorf("step %d: the folder holds %q", n, got)
		}
	}
}

func TestClaimWhoseWinnerCannotBeRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c")
	if err := Claim(path, []byte("first")); err != nil {
		t.Fatal(err)
	}
	d, _ := failing(6) // create, write, sync, close, link (which exists), read
	if err := d.claim(path, nil); !errors.Is(err, ErrClaimed) || !errors.Is(err, errStep) {
		t.Errorf("error %v, want a lost claim and the disk's error", err)
	}
}

// childClaim claims path when its standard input ends, and prints whether it
// won, or the winner's name.
func childClaim(path string) {
	fmt.Println("ready")
	_, _ = bufio.NewReader(os.Stdin).ReadString(0)
	me := strings.Repeat("process "+strconv.Itoa(os.Getpid())+"\n", 2000)
	err := Claim(path, []byte(me))
	var lost *ClaimedError
	switch {
	case err == nil:
		fmt.Println("won", len(me), strings.TrimSpace(me[:20]))
	case errors.As(err, &lost) && len(lost.Content) > 20:
		winner, _, _ := strings.Cut(string(lost.Content), "\n")
		wholly := string(lost.Content) == strings.Repeat(winner+"\n", 2000)
		fmt.Println("lost", wholly, winner)
	default:
		fmt.Println("error", err)
	}
}

func TestClaimRace(t *testing.T) {
	const racers = 32
	path := filepath.Join(t.TempDir(), "c")
	gate, start, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	answers := make(chan string, racers)
	for range racers {
		cmd := child(t, "claim", path)
		cmd.Stdin = gate
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		r := bufio.NewReader(out)
		if line, err := r.ReadString('\n'); line != "ready\n" {
			t.Fatalf("child said %q, %v", line, err)
		}
		go func() {
			line, _ := r.ReadString('\n')
			answers <- line
			_ = cmd.Wait()
		}()
	}
	_ = gate.Close()
	_ = start.Close() // all at once
	won, lost := 0, 0
	winner := ""
	var losers []string
	for range racers {
		line := strings.TrimSpace(<-answers)
		switch {
		case strings.HasPrefix(line, "won "):
			won++
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			winner, _, _ = strings.Cut(string(data), "\n")
		case strings.HasPrefix(line, "lost true "):
			lost++
			losers = append(losers, strings.TrimPrefix(line, "lost true "))
		default:
			t.Errorf("a racer said %q", line)
		}
	}
	if won != 1 || lost != racers-1 {
		t.Errorf("%d won and %d lost, want 1 and %d", won, lost, racers-1)
	}
	for _, l := range losers {
		if l != winner {
			t.Errorf("a loser saw %q, want %q", l, winner)
		}
	}
}
