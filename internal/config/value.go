package config

// Layer says who gave a value. A higher layer is stronger.
type Layer int

// The layers, weakest first.
const (
	LayerDefault Layer = iota
	LayerCode
	LayerFile
	LayerEnv
	LayerFlag
)

// Value is a setting and where it comes from.
type Value[T any] struct {
	V T
	// Origin is "default", "code", "capeval.yaml:3:8", the name of a variable
	// such as CAPEVAL_TRIALS, or that of a flag such as --trials.
	Origin string
	// Set says that somebody chose the value: it is not the default.
	Set bool

	layer Layer
}

// Default returns the value that holds while nobody says otherwise.
func Default[T any](v T) Value[T] { return Value[T]{V: v, Origin: "default"} }

// Layer returns the layer that gave the value.
func (v Value[T]) Layer() Layer { return v.layer }

// Over returns v with t in its place, unless a stronger layer gave v.
func (v Value[T]) Over(t T, l Layer, origin string) Value[T] {
	if l < v.layer {
		return v
	}
	return Value[T]{V: t, Origin: origin, Set: l > LayerDefault, layer: l}
}

// Code returns v with the value that the user's code gives, unless the file,
// the environment or a flag spoke.
func (v Value[T]) Code(t T) Value[T] { return v.Over(t, LayerCode, "code") }

// Flag returns v with the value of the flag name, such as --trials.
func (v Value[T]) Flag(t T, name string) Value[T] { return v.Over(t, LayerFlag, name) }
