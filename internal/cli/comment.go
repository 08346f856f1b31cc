package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/capeval/capeval/internal/config"
	"github.com/capeval/capeval/internal/forge"
	"github.com/capeval/capeval/reporter"
)

// commentFlags say where a comment goes.
type commentFlags struct {
	repository, name string
	number           int
}

func newComment(std IO) *cobra.Command {
	var f commentFlags
	c := &cobra.Command{
		Use:   "comment PATH...",
		Short: "keep one comment with the report on the pull request",
		Long: `Comment puts a report of what the PATHs hold (see report) on the pull request, in
one comment that it finds again and writes anew. It speaks to GitHub at
$GITHUB_API_URL with $GITHUB_TOKEN, else $GH_TOKEN.

The pull request is that of the workflow's event. A workflow_run event of a fork's
pull request names no number; GitHub is then asked whose head the commit is.

Whatever the forge answers, comment exits 0 and says what it did, so that it never
fails a job; a PATH that cannot be read is still an error. Where the token may not
write, and $GITHUB_STEP_SUMMARY is set, the report goes there.

The text is made here, from records, and not taken from a file: what a pull request
wrote is escaped and pings nobody.`,
		Example: `  capeval-ci comment verdict.json
  capeval-ci comment verdict.json base-run pr-run --name support-agent
  capeval-ci comment verdict.json --repo ann/shop --pr 7`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if wanted, err := jsonWanted(c); err != nil {
				return err
			} else if wanted {
				return fail(exitUsage, "--format json: comment prints a line about what it did and no JSON")
			}
			return commentCommand(c.Context(), std, f, args)
		},
	}
	c.Flags().IntVar(&f.number, "pr", 0, "the `number` of the pull request (default: that of the event)")
	c.Flags().StringVar(&f.repository, "repo", "", "the repository, `owner/name` (default $GITHUB_REPOSITORY)")
	c.Flags().StringVar(&f.name, "name", "capeval", "the `name` of the comment, where a pull request has several")
	return c
}

var commentName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// commentCommand is `capeval-ci comment`.
func commentCommand(ctx context.Context, std IO, f commentFlags, paths []string) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if !commentName.MatchString(f.name) {
		return fail(exitUsage, "--name: found %q, need letters, digits, dots, dashes or underscores, at most 64", f.name)
	}
	if f.number < 0 {
		return fail(exitUsage, "--pr: found %d, need the number of a pull request", f.number)
	}
	cfg, err := config.Load(".", os.LookupEnv)
	if err != nil {
		return withCode(exitUsage, err)
	}
	in, err := reportInput(std, paths)
	if err != nil {
		return err
	}
	if err := reported(in); err != nil {
		return err
	}
	doc := reporter.Build(in)
	job, err := forge.FromEnv(os.LookupEnv, os.ReadFile)
	if err != nil {
		return withCode(exitUsage, err)
	}
	if f.repository != "" {
		if err := job.SetRepository(f.repository); err != nil {
			return fail(exitUsage, "--repo: %w", err)
		}
	}
	if f.number > 0 {
		job.Number = f.number
	}
	var body bytes.Buffer
	if err := markdown(&body, doc, cfg.Report.CommentBytes.V, len(forge.Mark(f.name))); err != nil {
		return withCode(exitInfra, err)
	}
	line, err := post(ctx, job, f.name, body.String())
	if err == nil {
		fmt.Fprintln(std.Out, line)
		return nil
	}
	fmt.Fprintf(std.Out, "no comment: %v\n", err)
	summary := os.Getenv("GITHUB_STEP_SUMMARY")
	if summary == "" || errors.Is(err, forge.ErrNoPullRequest) {
		return nil
	}
	if err := appendSummary(std, summary, doc, cfg.Report.SummaryBytes.V); err != nil {
		fmt.Fprintf(std.Out, "nor a summary: %v\n", err)
		return nil
	}
	fmt.Fprintln(std.Out, "the report is in the job's summary instead")
	return nil
}

// post writes the comment and says what it did.
func post(ctx context.Context, job forge.Job, name, body string) (string, error) {
	token := os.Getenv("GITHUB_TOKEN")
	if token == "" {
		token = os.Getenv("GH_TOKEN")
	}
	if token == "" {
		return "", errors.New("found no token: set GITHUB_TOKEN to ${{ github.token }}")
	}
	api, err := forge.NewGitHub(job, token, nil)
	if err != nil {
		return "", err
	}
	number, err := api.PullRequest(ctx)
	if err != nil {
		return "", err
	}
	done, err := api.Upsert(ctx, number, name, body)
	if err != nil {
		return "", err
	}
	line := fmt.Sprintf("comment %s on pull request %d: %s", done.What, number, done.URL)
	if done.Others > 0 {
		line += fmt.Sprintf(" (%d others with its mark were left)", done.Others)
	}
	return line, nil
}
