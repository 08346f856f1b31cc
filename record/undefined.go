package record

// UndefinedPhrase begins the message of every [Undefined] error, so that a
// failure message can be told from a measured one by its text.
const UndefinedPhrase = "cannot say: "

// Undefined is the error of somebody who was asked about a number that does
// not exist. It is neither a pass nor a fail.
type Undefined struct {
	What string // the quantity, such as "stderr of refund-agent val"
	Why  string // the reason, such as "1 task scored, need 2"
}

// Error returns the phrase, the quantity and the reason.
func (u Undefined) Error() string {
	if u.Why == "" {
		return UndefinedPhrase + u.What + " is undefined"
	}
	return UndefinedPhrase + u.What + " is undefined: " + u.Why
}
