"""The module proxy: what is asked, what it answers, and what its errors mean."""
