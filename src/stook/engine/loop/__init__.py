"""The loop: claims, visits under way, their answers, and the keeper. `flow` joins them, `stook.engine.work` runs it."""
