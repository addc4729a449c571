"""The judge of every URL, name and address, and the gate that every socket passes."""

from stook.engine.door.guard.guard import Guard, Verdict, judge_row, text_fault

__all__ = ["Guard", "Verdict", "judge_row", "text_fault"]
