"""Layer core: words that everybody uses; numpy only."""
