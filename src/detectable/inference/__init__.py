"""Layer inference: one data set to estimate, interval and p-value."""
