"""Collections: their recipes, files and downloads, and their documents, queries and judgments."""
