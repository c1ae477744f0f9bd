"""Layer kernels: inner loops; arrays in, arrays out."""
