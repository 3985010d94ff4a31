"""The `.memdb` file: one SQLite database, and the only place in the package that speaks SQL.

`connection` opens it, `migrations` brings it up to date; then one module for each family of tables. All functions take the
connection first and never commit: the caller holds the transaction.
"""
