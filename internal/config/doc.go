// Package config reads capeval.yaml and the environment, and says of every
// value where it comes from.
//
//	c, err := config.Load(".", os.LookupEnv)
//	trials := c.ForSuite("refund-agent").Trials.Code(4) // 4 unless somebody stronger spoke
//	fmt.Println(trials.V, trials.Origin)                // 10 capeval.yaml:3:13
//
// From weakest to strongest: the default, the user's code, capeval.yaml, the
// environment, flags. [Load] knows the file and the environment; code and flags
// are laid over it by [Value.Code] and [Run.Apply].
//
// The file is read strictly: an unknown or repeated key, a value of another
// type or out of range is an error with file:line:column, what was found and
// what is needed, and all such errors come at once. The package never guesses a
// value, changes nothing, and knows nothing of what the values mean to others.
package config
