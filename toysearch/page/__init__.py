"""The page that `toysearch serve` opens: search, explain, compare and judge in a browser."""
