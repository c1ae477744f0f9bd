"""Human rankings at WMT (Graham, Haddow and Koehn 2020)."""
