// Package workflow reads the workflows of a repository and says where they would
// let a measurement be tampered with, looked at twice, or written by the agent
// that is measured.
//
//	findings, err := workflow.Check(".") // .github/workflows/*.yml and *.yaml
//	for _, f := range findings {
//		fmt.Println(f) // .github/workflows/x.yml:12:5: found .., need ..
//	}
//
// The rules speak of the jobs that call capeval-ci, in a script or through the
// project's action, directly or through a reusable workflow of the repository:
//
//   - one job calls finalize: started by hand or by a tag, never by a pull
//     request; no matrix; never cancelled; behind an environment; its token may
//     write contents and nothing else, and no other token of the workflow may;
//   - jobs that run agents (gate, run, finalize) leave no token in the checkout,
//     and those of gate and run have none that can write;
//   - texts that strangers choose stay out of scripts, and a name of an artifact
//     that another job needs is handed on, not made up again.
//
// What actionlint finds in these workflows is reported too. The package runs
// nothing, asks no forge, and sees only what is written: a script that calls
// capeval-ci by way of a variable or another script is not recognised.
package workflow
