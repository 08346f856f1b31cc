package stats

// These three add up products of positive numbers, so that each sum is
// accurate to a few units in the last place however small it is. The
// conversions keep products out of fused multiply-adds: the same bits on every
// platform.

// convolve adds to out the convolution of f with g, whose elements are stride
// apart.
func convolve(out, f, g []float64, stride int) {
	j := 0
	if stride == 1 && len(f) >= 4 {
		for ; j+4 <= len(g); j += 4 {
			convolveFour(out[j:j+len(f)+3], f, g[j:j+4])
		}
	}
	for ; j < len(g); j++ {
		c := g[j]
		if c == 0 {
			continue
		}
		o := out[j*stride : j*stride+len(f)]
		for i, v := range f {
			o[i] += float64(v * c)
		}
	}
}

// convolveFour adds to out the convolution of f with four numbers. out has
// three elements more than f, which has at least four.
func convolveFour(out, f, g []float64) {
	g0, g1, g2, g3 := g[0], g[1], g[2], g[3]
	a, b, c := f[0], f[1], f[2]
	out[0] += float64(a * g0)
	out[1] += float64(b*g0) + float64(a*g1)
	out[2] += float64(c*g0) + float64(b*g1) + float64(a*g2)
	rest := f[3:]
	o := out[3 : 3+len(rest)]
	for i, d := range rest {
		o[i] += (float64(d*g0) + float64(c*g1)) + (float64(b*g2) + float64(a*g3))
		a, b, c = b, c, d
	}
	o = out[len(f) : len(f)+3]
	o[0] += float64(c*g1) + float64(b*g2) + float64(a*g3)
	o[1] += float64(c*g2) + float64(b*g3)
	o[2] += float64(c * g3)
}

// square adds to out the convolution of f with itself.
func square(out, f []float64) {
	for i, c := range f {
		out[2*i] += float64(c * c)
		if c == 0 {
			continue
		}
		c *= 2
		rest := f[i+1:]
		o := out[2*i+1 : 2*i+1+len(rest)]
		for j, v := range rest {
			o[j] += float64(v * c)
		}
	}
}

// scatter adds to out the convolution of f and g, whose elements are fs and gs
// apart.
func scatter(out, f []float64, fs int, g []float64, gs int) {
	for j, c := range g {
		if c == 0 {
			continue
		}
		at := j * gs
		for _, v := range f {
			out[at] += float64(v * c)
			at += fs
		}
	}
}
