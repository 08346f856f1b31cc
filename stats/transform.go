package stats

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/dsp/fourier"
)

// convolver keeps the Fourier transforms that one computation uses again. Its
// zero value is ready.
type convolver struct {
	plans map[int]*fourier.FFT
}

// A transform of n numbers costs about as much as costOf(n) of the products of
// a direct convolution; setting it up is in that figure.
func costOf(n int) float64 { return 40 * float64(n) * float64(bits.Len(uint(n))) }

// transformPays reports whether a convolution of that many numbers, into size
// places, is quicker by Fourier transform.
func (cv *convolver) transformPays(n, m, size int) bool {
	return float64(n)*float64(m) > costOf(size)
}

// transform returns the convolution of f and g, whose elements are fs and gs
// apart. Each number is off by about 1e-16 of the largest, so it serves only
// where nothing far below the largest matters: on tilted distributions.
func (cv *convolver) transform(f []float64, fs int, g []float64, gs int, size int) []float64 {
	n := smooth(size)
	plan := cv.plans[n]
	if plan == nil {
		if cv.plans == nil {
			cv.plans = map[int]*fourier.FFT{}
		}
		plan = fourier.NewFFT(n)
		cv.plans[n] = plan
	}
	buf := make([]float64, n)
	load := func(f []float64, step int) []complex128 {
		clear(buf)
		for i, v := range f {
			buf[i*step] = v
		}
		return plan.Coefficients(nil, buf)
	}
	a := load(f, fs)
	if len(f) == len(g) && fs == gs && &f[0] == &g[0] {
		for i, v := range a {
			a[i] = times(v, v)
		}
	} else {
		for i, v := range load(g, gs) {
			a[i] = times(a[i], v)
		}
	}
	plan.Sequence(buf, a)
	scale := 1 / float64(n)
	for i, v := range buf[:size] {
		buf[i] = math.Max(0, v*scale)
	}
	return buf[:size]
}

// times returns the product of two complex numbers.
func times(a, b complex128) complex128 {
	return complex(float64(real(a)*real(b))-float64(imag(a)*imag(b)), float64(real(a)*imag(b))+float64(imag(a)*real(b)))
}

// smooth returns the least number from n up that is 2, 3 or 5 times a power of
// two, or one itself.
func smooth(n int) int {
	best := 1 << bits.Len(uint(n-1))
	for _, odd := range []int{3, 5} {
		m := odd
		for m < n {
			m *= 2
		}
		best = min(best, m)
	}
	return best
}
