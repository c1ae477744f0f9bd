"""Wei, Kocmi and Federmann (2022), table by table."""
