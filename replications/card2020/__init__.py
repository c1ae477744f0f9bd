"""Card et al. (2020), section by section."""
